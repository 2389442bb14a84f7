package org.anteroom.config;

/**
 * A kind of value.
 *
 * @param name what it is, for messages and the documentation
 * @param example a value of it
 */
record ValueType<T>(String name, String example, Parser<T> parser) {

    /** From the text to the value. */
    @FunctionalInterface
    interface Parser<T> {
        T parse(String text) throws BadValueException;
    }

    T parse(String text) throws BadValueException {
        return parser.parse(text);
    }
}
