package org.anteroom.delivery;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.anteroom.model.ByteRange;
import org.jspecify.annotations.Nullable;

/**
 * A {@code Range} field, read against a file's size (RFC 9110, sections 14.1 and 14.2).
 *
 * <p>A field in another unit, one that breaks the grammar, and one whose first position is behind its last are ignored, as
 * the RFC allows: the whole file is sent. Ranges that lie outside of the file are left out. Ranges that overlap become one,
 * in the place of the first of them that was asked for; the order is that of the field (section 15.3.7.2). So no byte is
 * sent twice, and none that was not asked for. What is left of a field may be {@link #MAX_PARTS} ranges; one of more is
 * ignored.
 *
 * @param kind what the field means for this file
 * @param ranges the satisfiable ranges, none overlapping another; empty unless the kind is {@link Kind#SATISFIABLE}
 */
record Ranges(Kind kind, List<ByteRange> ranges) {

    /** Most parts of one answer: each may be an opening of the file in the archive. */
    static final int MAX_PARTS = 32;

    /** What a field means for a file. */
    enum Kind {
        /** As if there were no field. */
        IGNORED,
        /** At least one range lies in the file. */
        SATISFIABLE,
        /** No range lies in the file: 416. */
        UNSATISFIABLE
    }

    private static final Ranges IGNORED = new Ranges(Kind.IGNORED, List.of());
    private static final Ranges UNSATISFIABLE = new Ranges(Kind.UNSATISFIABLE, List.of());
    private static final String UNIT = "bytes=";

    /** Copies the list. */
    Ranges {
        ranges = List.copyOf(ranges);
    }

    /** The only range, or null if there are several or none. */
    @Nullable
    ByteRange single() {
        return ranges.size() == 1 ? ranges.get(0) : null;
    }

    /**
     * Reads a field.
     *
     * @param size the file's length in bytes
     */
    static Ranges parse(String field, long size) {
        if (!field.regionMatches(true, 0, UNIT, 0, UNIT.length())) {
            return IGNORED;
        }
        List<ByteRange> found = new ArrayList<>(2);
        int count = 0;
        int start = UNIT.length();
        while (start <= field.length()) {
            int comma = field.indexOf(',', start);
            int end = comma < 0 ? field.length() : comma;
            int from = skipSpace(field, start, end);
            int to = trimSpace(field, from, end);
            if (from < to) { // else an empty element of the list (RFC 9110, section 5.6.1.2)
                count++;
                if (!add(field, from, to, size, found)) {
                    return IGNORED;
                }
            }
            start = end + 1;
        }
        if (count == 0) {
            return IGNORED;
        }
        if (found.isEmpty()) {
            return UNSATISFIABLE;
        }
        List<ByteRange> ranges = coalesce(found);
        return ranges.size() > MAX_PARTS ? IGNORED : new Ranges(Kind.SATISFIABLE, ranges);
    }

    /** Adds the range if it is satisfiable; false if it is malformed, or cannot be expressed. */
    private static boolean add(String field, int from, int to, long size, List<ByteRange> found) {
        int dash = field.indexOf('-', from);
        if (dash < 0 || dash >= to) {
            return false;
        }
        boolean open = dash + 1 == to;
        long last = open ? Long.MAX_VALUE : number(field, dash + 1, to);
        if (dash == from) {
            // a suffix of an empty file is satisfiable, but no Content-Range can say so: the (empty) whole
            if (open || last < 0 || (size == 0 && last > 0)) {
                return false;
            }
            if (last > 0) {
                found.add(new ByteRange(Math.max(0, size - last), size - 1));
            }
            return true;
        }
        long first = number(field, from, dash);
        if (first < 0 || last < first) {
            return false;
        }
        if (first == Long.MAX_VALUE && !open && isLarger(field.substring(from, dash), field.substring(dash + 1, to))) {
            return false;
        }
        if (first < size) {
            found.add(new ByteRange(first, Math.min(last, size - 1)));
        }
        return true;
    }

    /**
     * A range and its place in the field.
     *
     * @param place the least of those that were made one
     */
    private record Placed(ByteRange range, int place) {}

    private static List<ByteRange> coalesce(List<ByteRange> found) {
        if (found.size() == 1) {
            return found;
        }
        List<Placed> sorted = new ArrayList<>(found.size());
        for (int place = 0; place < found.size(); place++) {
            sorted.add(new Placed(found.get(place), place));
        }
        sorted.sort(Comparator.comparingLong(placed -> placed.range().first()));
        List<Placed> apart = new ArrayList<>(found.size());
        Placed last = sorted.get(0);
        for (Placed next : sorted.subList(1, sorted.size())) {
            if (next.range().first() <= last.range().last()) {
                long end = Math.max(last.range().last(), next.range().last());
                last = new Placed(new ByteRange(last.range().first(), end), Math.min(last.place(), next.place()));
            } else {
                apart.add(last);
                last = next;
            }
        }
        apart.add(last);
        apart.sort(Comparator.comparingInt(Placed::place));
        return apart.stream().map(Placed::range).toList();
    }

    /** A number of any length, the largest long standing for what is larger; -1 if there is anything but digits. */
    private static long number(String field, int from, int to) {
        long value = 0;
        for (int i = from; i < to; i++) {
            int digit = field.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                return -1;
            }
            value = value > (Long.MAX_VALUE - digit) / 10 ? Long.MAX_VALUE : value * 10 + digit;
        }
        return value;
    }

    /** Whether the first of two numbers of any length is the larger one. */
    private static boolean isLarger(String digits, String others) {
        return new BigInteger(digits).compareTo(new BigInteger(others)) > 0;
    }

    private static int skipSpace(String field, int from, int to) {
        int at = from;
        while (at < to && isSpace(field.charAt(at))) {
            at++;
        }
        return at;
    }

    private static int trimSpace(String field, int from, int to) {
        int at = to;
        while (at > from && isSpace(field.charAt(at - 1))) {
            at--;
        }
        return at;
    }

    private static boolean isSpace(char c) {
        return c == ' ' || c == '\t';
    }
}
