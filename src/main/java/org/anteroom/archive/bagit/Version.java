package org.anteroom.archive.bagit;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A version of a dataset: numbers with dots between. Zeros at its end and before a number do not count: 1, 1.0 and 01.0.0
 * are equal, and written 1.
 *
 * @param numbers at least one, without zeros at the end except a single one
 */
record Version(List<Long> numbers) implements Comparable<Version> {
    /** What a bag has whose name tells none: the first one, as the bags that followed it call it. */
    static final Version FIRST = new Version(List.of(1L));

    private static final Pattern DOTTED = Pattern.compile("\\d{1,18}(\\.\\d{1,18}){0,9}");

    /** A version as it is written in requests, if it is one. */
    static Optional<Version> parse(String text) {
        if (!DOTTED.matcher(text).matches()) {
            return Optional.empty();
        }
        List<Long> numbers =
                Arrays.stream(text.split("\\.", -1)).map(Long::valueOf).collect(Collectors.toList());
        while (numbers.size() > 1 && numbers.get(numbers.size() - 1) == 0) {
            numbers.remove(numbers.size() - 1);
        }
        return Optional.of(new Version(List.copyOf(numbers)));
    }

    @Override
    public int compareTo(Version other) {
        for (int i = 0; i < Math.min(numbers.size(), other.numbers.size()); i++) {
            int order = numbers.get(i).compareTo(other.numbers.get(i));
            if (order != 0) {
                return order;
            }
        }
        return Integer.compare(numbers.size(), other.numbers.size());
    }

    /** The shortest way to write it, which is the one that keys have. */
    String text() {
        return numbers.stream().map(String::valueOf).collect(Collectors.joining("."));
    }
}
