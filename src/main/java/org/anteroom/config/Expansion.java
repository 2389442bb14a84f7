package org.anteroom.config;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The replacement of {@code ${name}} and {@code ${name:-instead}} in a text, as the container does it in its own files.
 *
 * <p>What follows {@code :-} is used where the name is not set, and may itself refer to names. A value that was put in
 * is not looked at again. Any other {@code $} stands for itself.
 */
final class Expansion {

    private final Function<String, @Nullable String> values;

    /**
     * An expansion by the given values.
     *
     * @param values from a name to its value, or to null where it is not set
     */
    Expansion(Function<String, @Nullable String> values) {
        this.values = values;
    }

    String expand(String text) throws BadValueException {
        StringBuilder result = new StringBuilder();
        int at = 0;
        for (int begin = text.indexOf("${"); begin >= 0; begin = text.indexOf("${", at)) {
            int end = closing(text, begin + 2);
            result.append(text, at, begin).append(value(text.substring(begin + 2, end)));
            at = end + 1;
        }
        return result.append(text.substring(at)).toString();
    }

    private String value(String reference) throws BadValueException {
        int separator = reference.indexOf(":-");
        String name = separator < 0 ? reference : reference.substring(0, separator);
        String value = values.apply(name);
        if (value != null) {
            return value;
        }
        if (separator < 0) {
            throw new BadValueException("the system property " + name + " is not set; set it, or write ${" + name
                    + ":-VALUE} with the value to use without it");
        }
        return expand(reference.substring(separator + 2));
    }

    private static int closing(String text, int from) throws BadValueException {
        int depth = 1;
        for (int i = from; i < text.length(); i++) {
            if (text.startsWith("${", i)) {
                depth++;
            } else if (text.charAt(i) == '}') {
                depth--;
                if (depth == 0) {
                    return i;
                }
            }
        }
        throw new BadValueException("a ${ has no } after it; write ${NAME} or ${NAME:-VALUE}");
    }
}
