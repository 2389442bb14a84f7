package org.anteroom.config;

/**
 * A key of the configuration: the one source of how it is read, checked and documented.
 *
 * @param name dotted; where {@link #VOLUME} stands in it, there is one such key for every volume
 * @param type what a value is
 * @param standard the value where none is given, as one would write it; empty: there is none, a value is required
 * @param description what it means, for the documentation
 */
record Key<T>(String name, ValueType<T> type, String standard, String description) {

    /** Stands for a volume's name in the name of a key. */
    static final String VOLUME = "NAME";

    boolean ofVolume() {
        return name.contains("." + VOLUME + ".");
    }

    /** The name for one volume. */
    String nameFor(String volume) {
        return name.replace("." + VOLUME + ".", "." + volume + ".");
    }

    boolean required() {
        return standard.isEmpty();
    }

    /** The same key, read in the way that another one decides. */
    <U> Key<U> as(ValueType<U> other) {
        return new Key<>(name, other, standard, description);
    }

    /** The key's row in the table of the documentation. */
    String row() {
        return "| `" + name + "` | " + type.name() + " | " + (required() ? "required" : "`" + standard + "`") + " | "
                + description + " |";
    }
}
