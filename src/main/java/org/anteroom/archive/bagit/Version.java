package org.anteroom.archive.bagit;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A version of a dataset: numbers with dots between. Zeros at its end do not count: 1, 1.0 and 1.0.0 are equal.
 *
 * @param numbers at least one, without zeros at the end except a single one
 * @param text as it is written, with dots
 */
record Version(List<Long> numbers, String text) implements Comparable<Version> {
    /** What a bag has whose name tells none: the first one, as the bags that followed it call it. */
    static final Version FIRST = new Version(List.of(1L), "1");

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
        return Optional.of(new Version(List.copyOf(numbers), text));
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

    @Override
    public boolean equals(Object other) {
        return other instanceof Version version && numbers.equals(version.numbers);
    }

    @Override
    public int hashCode() {
        return numbers.hashCode();
    }
}
