package org.anteroom.model;

import org.jspecify.annotations.Nullable;

/**
 * What a client asks for: a dataset, a path in it and, where it has several, a version.
 *
 * <p>Its text form is the <em>objid</em>, {@code encode(dataset)[@encode(version)]/path}, where encode escapes
 * {@code %}, {@code /} and {@code @} as percent and two capital hex digits. The form is unambiguous and reversible:
 * {@code FileKey.parse(key.objid())} equals {@code key}.
 *
 * @param dataset the dataset's id, as written (an ARK, a DOI, or one segment); not empty
 * @param path the path inside the dataset: segments joined by {@code /}, none of them empty, {@code .} or {@code ..},
 *     no control characters
 * @param version the version, or null for the newest
 */
public record FileKey(String dataset, String path, @Nullable String version) {

    /** Longest objid, in bytes of UTF-8, that is accepted: it is a key of indexes in the inventory. */
    public static final int MAX_OBJID_BYTES = 2048;

    /** Checks what the record promises. */
    public FileKey {
        check(dataset, version);
        checkPath(path);
    }

    static void check(String dataset, @Nullable String version) {
        requireText("dataset", dataset);
        if (dataset.equals(".") || dataset.equals("..")) {
            throw new IllegalArgumentException("the dataset's id may not be . or ..");
        }
        if (version != null) {
            requireText("version", version);
        }
    }

    static void checkPath(String path) {
        requireText("path", path);
        requireSegments(path);
    }

    /** A key of the newest version. */
    public static FileKey of(String dataset, String path) {
        return new FileKey(dataset, path, null);
    }

    /** The file's key in the inventory. */
    public String objid() {
        StringBuilder text = new StringBuilder(dataset.length() + path.length() + 8);
        encode(dataset, text);
        if (version != null) {
            text.append('@');
            encode(version, text);
        }
        return text.append('/').append(path).toString();
    }

    /**
     * Reads an objid back.
     *
     * @throws IllegalArgumentException if the text is not an objid
     */
    public static FileKey parse(String objid) {
        int slash = objid.indexOf('/');
        if (slash <= 0) {
            throw new IllegalArgumentException("an objid is DATASET/PATH: " + objid);
        }
        String head = objid.substring(0, slash);
        int at = head.indexOf('@');
        String dataset = at < 0 ? head : head.substring(0, at);
        String version = at < 0 ? null : decode(head.substring(at + 1));
        FileKey key = new FileKey(decode(dataset), objid.substring(slash + 1), version);
        if (!key.objid().equals(objid)) {
            throw new IllegalArgumentException("not an objid as Anteroom writes it: " + objid);
        }
        return key;
    }

    /** Escapes {@code %}, {@code /} and {@code @}, so that the result is one segment without a version mark. */
    public static String encode(String text) {
        StringBuilder out = new StringBuilder(text.length() + 8);
        encode(text, out);
        return out.toString();
    }

    private static void encode(String text, StringBuilder out) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '%' -> out.append("%25");
                case '/' -> out.append("%2F");
                case '@' -> out.append("%40");
                default -> out.append(c);
            }
        }
    }

    private static String decode(String text) {
        return text.replace("%40", "@").replace("%2F", "/").replace("%25", "%");
    }

    private static void requireText(String what, String text) {
        if (text.isEmpty()) {
            throw new IllegalArgumentException("the " + what + " is empty");
        }
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < 0x20 || c == 0x7f || (c >= 0x80 && c < 0xa0)) {
                throw new IllegalArgumentException("the " + what + " has a control character");
            }
            if (Character.isSurrogate(c)) {
                if (Character.isLowSurrogate(c)
                        || i + 1 == text.length()
                        || !Character.isLowSurrogate(text.charAt(i + 1))) {
                    throw new IllegalArgumentException("the " + what + " is not Unicode text");
                }
                i++;
            }
        }
    }

    private static void requireSegments(String path) {
        int start = 0;
        while (start <= path.length()) {
            int end = path.indexOf('/', start);
            if (end < 0) {
                end = path.length();
            }
            int length = end - start;
            if (length == 0) {
                throw new IllegalArgumentException("the path has an empty segment");
            }
            if (path.charAt(start) == '.' && (length == 1 || (length == 2 && path.charAt(start + 1) == '.'))) {
                throw new IllegalArgumentException("the path has a . or .. segment");
            }
            start = end + 1;
        }
    }
}
