package org.anteroom.lab;

import java.util.List;
import java.util.Locale;

/**
 * The ratio of two rates measured in pairs: the geometric mean of the pairs' ratios with its 95 % interval, by Student's t
 * over their logarithms.
 *
 * @param mean the geometric mean
 * @param low the lower end of the interval
 * @param high the upper end
 * @param pairs how many pairs
 */
record Ratio(double mean, double low, double high, int pairs) {
    /** Two-sided 95 % quantiles of Student's t for 1 to 30 degrees of freedom. */
    private static final double[] T = {
        12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
        2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042
    };

    static Ratio of(List<Double> a, List<Double> b) {
        int n = a.size();
        if (n < 2 || n != b.size()) {
            throw new IllegalArgumentException(n + " and " + b.size() + " figures make no pairs");
        }
        double[] logs = new double[n];
        double sum = 0;
        for (int i = 0; i < n; i++) {
            logs[i] = Math.log(a.get(i) / b.get(i));
            sum += logs[i];
        }
        double mean = sum / n;
        double squares = 0;
        for (double log : logs) {
            squares += (log - mean) * (log - mean);
        }
        double half = T[Math.min(n - 1, T.length) - 1] * Math.sqrt(squares / (n - 1) / n);
        return new Ratio(Math.exp(mean), Math.exp(mean - half), Math.exp(mean + half), n);
    }

    String text() {
        return String.format(Locale.ROOT, "%.3f [%.3f, %.3f]", mean, low, high);
    }

    double width() {
        return high - low;
    }
}
