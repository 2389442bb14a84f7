package org.anteroom.volume.s3;

import java.util.regex.Pattern;

/** The keys of a volume's objects, all below its prefix. */
final class Keys {
    private static final Pattern TEMPORARY = Pattern.compile("\\d{1,19}\\.\\d{1,19}");
    private static final Pattern COPY = Pattern.compile("[0-9a-f]{32}");

    private final String prefix;

    Keys(String prefix) {
        this.prefix = prefix;
    }

    String all() {
        return prefix;
    }

    String marker() {
        return prefix + ".anteroom-volume";
    }

    String copies() {
        return prefix + "copies/";
    }

    String temporaries() {
        return prefix + "tmp/";
    }

    String copy(String copy) {
        if (!isCopy(copy)) {
            throw new IllegalArgumentException("a copy's name has 32 lower-case hexadecimal digits: " + copy);
        }
        return copies() + copy;
    }

    String temporary(String temporary) {
        if (!isTemporary(temporary)) {
            throw new IllegalArgumentException("a temporary name is FILL.EPOCH: " + temporary);
        }
        return temporaries() + temporary;
    }

    static boolean isCopy(String text) {
        return COPY.matcher(text).matches();
    }

    static boolean isTemporary(String text) {
        return TEMPORARY.matcher(text).matches();
    }
}
