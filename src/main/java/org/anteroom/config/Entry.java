package org.anteroom.config;

/**
 * A value as somebody wrote it.
 *
 * @param key the name of the key
 * @param text what was written, before expansion
 * @param shown the whole entry and where it stands, for messages
 */
record Entry(String key, String text, String shown) {

    private static final int LONGEST_SHOWN = 120;

    static Entry inFile(int line, String key, String text) {
        return new Entry(key, text, "line " + line + ": " + key + " = " + clipped(text));
    }

    static Entry systemProperty(String key, String text) {
        return new Entry(key, text, "system property " + Configuration.PREFIX + key + " = " + clipped(text));
    }

    static Entry standard(String key, String text) {
        return new Entry(key, text, key + " = " + clipped(text) + " (the default)");
    }

    private static String clipped(String text) {
        // what somebody wrote may have a password in it
        String line = text.replaceAll("\\p{Cntrl}+", " ")
                .replaceAll("//[^/\\s]*@", "//…@")
                .strip();
        return line.length() <= LONGEST_SHOWN ? line : line.substring(0, LONGEST_SHOWN) + "…";
    }
}
