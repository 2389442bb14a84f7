package org.anteroom.archive.bagit;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the lines of tag files say. */
final class Lines {
    /** The folder of a bag's files, with its slash. */
    static final String PAYLOAD = "data/";

    private static final Pattern ESCAPE = Pattern.compile("%(25|0[aAdD])");
    private static final String BLANKS = " \t";

    private Lines() {}

    /**
     * A line of a manifest (RFC 8493, section 2.1.3).
     *
     * @param path as it is written, but relative to the bag
     * @param digest what stands for the digest; in hexadecimal digits, if it is one
     */
    record Checksum(String path, String digest) {}

    /** Reads {@code DIGEST PATH}, with the mark for binary files that md5sum and its like write. */
    static Optional<Checksum> checksum(String line) {
        int end = 0;
        while (end < line.length() && BLANKS.indexOf(line.charAt(end)) < 0) {
            end++;
        }
        int start = end;
        while (start < line.length() && BLANKS.indexOf(line.charAt(start)) >= 0) {
            start++;
        }
        if (start < line.length() && line.charAt(start) == '*') {
            start++;
        }
        String path = relative(line.substring(start));
        return path.startsWith(PAYLOAD) ? Optional.of(new Checksum(path, line.substring(0, end))) : Optional.empty();
    }

    /**
     * A line of a lookup.
     *
     * @param path relative to the bag
     * @param bag the bag that has the file
     */
    record Place(String path, String bag) {}

    /** Reads {@code PATH BAG}, with a tab between or, where there is none, the last blank. */
    static Optional<Place> place(String line) {
        String text = line.stripTrailing();
        int separator = text.lastIndexOf('\t');
        String path = text.substring(0, Math.max(0, separator));
        if (separator < 0) {
            separator = text.lastIndexOf(' ');
            path = text.substring(0, Math.max(0, separator)).stripTrailing();
        }
        path = relative(path);
        String bag = text.substring(separator + 1).strip();
        return separator > 0 && path.startsWith(PAYLOAD) ? Optional.of(new Place(path, bag)) : Optional.empty();
    }

    private static String relative(String path) {
        String rest = path;
        while (rest.startsWith("./")) {
            rest = rest.substring(2);
        }
        return rest;
    }

    /** Takes back what manifests escape: {@code %}, LF and CR. */
    static String unescape(String path) {
        if (path.indexOf('%') < 0) {
            return path;
        }
        Matcher matcher = ESCAPE.matcher(path);
        return matcher.replaceAll(match -> switch (match.group(1)) {
            case "25" -> "%";
            case "0a", "0A" -> "\n";
            default -> "\r";
        });
    }

    /** A name as manifests have it, of those that can be asked for. */
    static String escape(String path) {
        return path.replace("%", "%25");
    }
}
