package org.anteroom.lab;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;

/**
 * Figures of two things, measured in pairs whose order alternates, more of them until the interval of their ratio is narrow.
 *
 * @param a the figures of the first
 * @param b the figures of the second
 * @param ratio of the first to the second
 */
record Pairs(List<Double> a, List<Double> b, Ratio ratio) {
    private static final int MOST = Integer.getInteger("lab.pairs.most", 30);
    private static final double WIDEST = 0.10;

    static Pairs measure(int least, Callable<Double> first, Callable<Double> second) throws Exception {
        List<Double> a = new ArrayList<>();
        List<Double> b = new ArrayList<>();
        while (true) {
            if (a.size() % 2 == 0) {
                a.add(first.call());
                b.add(second.call());
            } else {
                b.add(second.call());
                a.add(first.call());
            }
            if (a.size() >= least) {
                Ratio ratio = Ratio.of(a, b);
                if (ratio.width() <= WIDEST || a.size() >= MOST) {
                    return new Pairs(a, b, ratio);
                }
            }
        }
    }

    /** The median of the first, for a table. */
    String first() {
        return median(a);
    }

    /** The median of the second, for a table. */
    String second() {
        return median(b);
    }

    private static String median(List<Double> figures) {
        List<Double> sorted = figures.stream().sorted().toList();
        return String.format(Locale.ROOT, "%,.0f", sorted.get(sorted.size() / 2));
    }
}
