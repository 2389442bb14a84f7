package org.anteroom.config;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The entries of the file and the system properties, read by key; what is wrong with them is collected. */
final class Values {

    private final Map<String, Entry> entries;
    private final Expansion expansion;
    private final List<String> errors;
    private final Set<String> wrong = new HashSet<>();

    /**
     * Values of the given entries.
     *
     * @param entries by key; a text that is empty, or becomes so by expansion, counts as no entry
     * @param errors takes what is wrong
     */
    Values(Map<String, Entry> entries, Expansion expansion, List<String> errors) {
        this.entries = entries;
        this.expansion = expansion;
        this.errors = errors;
    }

    boolean isSet(String name) {
        Entry entry = entries.get(name);
        return entry != null && !becomesEmpty(entry.text());
    }

    private boolean becomesEmpty(String text) {
        try {
            return expansion.expand(text).isBlank();
        } catch (BadValueException e) {
            // what is wrong with it is told by whoever reads it
            return false;
        }
    }

    /** The value of a key that has a default; the default also where the value is wrong. */
    <T> T get(Key<T> key) {
        return get(key, key.name());
    }

    /** Likewise for a key of a volume. */
    <T> T get(Key<T> key, String name) {
        return find(key, name).orElseGet(() -> standard(key));
    }

    /** The value that was written; empty where there is none, or a wrong one, which is an error. */
    <T> Optional<T> find(Key<T> key, String name) {
        return isSet(name) ? parsed(key, name) : Optional.empty();
    }

    /** The value of a key that has no default; empty, and an error, where it is missing or wrong. */
    <T> Optional<T> require(Key<T> key, String name) {
        if (!isSet(name)) {
            wrong.add(name);
            errors.add(name + ": missing; write a " + key.type().name() + ", such as " + name + " = "
                    + key.type().example());
            return Optional.empty();
        }
        return parsed(key, name);
    }

    /** Whether this name has had an error, so that its value may not be compared with others. */
    boolean isWrong(String name) {
        return wrong.contains(name);
    }

    /** Whether anything is wrong so far. */
    boolean hasErrors() {
        return !errors.isEmpty();
    }

    /** Adds an error to this name: what is wrong, and what would be right. */
    void reject(String name, String what) {
        wrong.add(name);
        errors.add(shown(name) + ": " + what);
    }

    private String shown(String name) {
        Entry entry = entries.get(name);
        if (entry != null && isSet(name)) {
            return entry.shown();
        }
        return Keys.ALL.stream()
                .filter(key -> !key.required()
                        && key.nameFor(Keys.volumeIn(name).orElse("")).equals(name))
                .findFirst()
                .map(key -> Entry.standard(name, key.standard()).shown())
                .orElse(name);
    }

    private <T> Optional<T> parsed(Key<T> key, String name) {
        Entry entry = entries.get(name);
        if (entry == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(key.type().parse(expansion.expand(entry.text()).strip()));
        } catch (BadValueException e) {
            boolean comment = entry.text().matches("(?s).*\\s[#!].*");
            reject(name, e.getMessage() + (comment ? "; and a comment needs a line of its own" : ""));
            return Optional.empty();
        }
    }

    private <T> T standard(Key<T> key) {
        try {
            return key.type().parse(expansion.expand(key.standard()));
        } catch (BadValueException e) {
            throw new IllegalStateException("the default of " + key.name() + " is wrong", e);
        }
    }
}
