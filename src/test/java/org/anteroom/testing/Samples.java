package org.anteroom.testing;

import java.util.Random;
import java.util.function.Predicate;

/**
 * Random inputs from a seed, for what must hold for every input. The seed is fixed unless {@code -Dsamples.seed} sets
 * another, so that a run that fails can be repeated; a test names the input that failed.
 */
public final class Samples {
    /** How many inputs a test tries. */
    public static final int TRIES = Integer.getInteger("samples.tries", 1000);

    private static final long SEED = Long.getLong("samples.seed", 20260101);
    /** Characters that parsers stumble over. */
    private static final String AWKWARD =
            "\u0000\t\r\n \"%/\\;:,=?#&+@.~-_'<>{}|\u007f\u0085\u00e9\u202e\u3042\ud83d\ude00\uffff";

    private final Random random;

    /** Inputs from the seed that all have in common. */
    public Samples() {
        this(SEED);
    }

    /** Inputs from a seed of one's own. */
    public Samples(long seed) {
        this.random = new Random(seed);
    }

    /** A number between the two, both included; the ends are frequent. */
    public long number(long min, long max) {
        return switch (random.nextInt(6)) {
            case 0 -> min;
            case 1 -> max;
            default -> max - min < 0 ? random.nextLong() : min + (long) (random.nextDouble() * (max - min));
        };
    }

    /** Yes or no. */
    public boolean flag() {
        return random.nextBoolean();
    }

    /** Yes, once in so many times. */
    public boolean oneIn(int times) {
        return random.nextInt(times) == 0;
    }

    /** One of some values. */
    @SafeVarargs
    public final <T> T oneOf(T... values) {
        return values[random.nextInt(values.length)];
    }

    /** A text of some characters. */
    public String text(String alphabet, int min, int max) {
        int length = min + random.nextInt(max - min + 1);
        StringBuilder text = new StringBuilder(length);
        for (int i = 0; i < length; i++) {
            text.append(alphabet.charAt(random.nextInt(alphabet.length())));
        }
        return text.toString();
    }

    /** Any text: letters, awkward characters, anything that a char can be, halves of surrogate pairs included. */
    public String text(int max) {
        int length = random.nextInt(max + 1);
        StringBuilder text = new StringBuilder(length);
        for (int i = 0; i < length; i++) {
            text.append(
                    switch (random.nextInt(3)) {
                        case 0 -> (char) ('a' + random.nextInt(26));
                        case 1 -> AWKWARD.charAt(random.nextInt(AWKWARD.length()));
                        default -> (char) random.nextInt(0x10000);
                    });
        }
        return text.toString();
    }

    /** Any text that is as wanted. */
    public String text(int max, Predicate<String> wanted) {
        while (true) {
            String text = text(max);
            if (wanted.test(text)) {
                return text;
            }
        }
    }
}
