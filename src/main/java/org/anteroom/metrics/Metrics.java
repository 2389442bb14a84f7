package org.anteroom.metrics;

import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Gauge;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.instrumentation.jvm.JvmBufferPoolMetrics;
import io.prometheus.metrics.instrumentation.jvm.JvmClassLoadingMetrics;
import io.prometheus.metrics.instrumentation.jvm.JvmCompilationMetrics;
import io.prometheus.metrics.instrumentation.jvm.JvmGarbageCollectorMetrics;
import io.prometheus.metrics.instrumentation.jvm.JvmMemoryMetrics;
import io.prometheus.metrics.instrumentation.jvm.JvmNativeMemoryMetrics;
import io.prometheus.metrics.instrumentation.jvm.JvmRuntimeInfoMetric;
import io.prometheus.metrics.instrumentation.jvm.JvmThreadsMetrics;
import io.prometheus.metrics.instrumentation.jvm.ProcessMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;

/**
 * The registry of one deployed instance.
 *
 * <p>Not the JVM-wide one: two applications in one Tomcat, or an old and a new deployment of one, do not share figures.
 * Names follow Prometheus: {@code anteroom_} first, base units, counters end in {@code _total} in the text (not in the
 * name given here). There are no exemplars: nothing here traces, and the library would keep a thread for them that outlives
 * the application.
 */
public final class Metrics {
    private final PrometheusRegistry registry = new PrometheusRegistry();

    /**
     * Adds the JVM's own figures: all but the allocation by memory pool, which adds a listener to the JVM's collectors that
     * cannot be removed again and would keep the application in memory after its end.
     */
    public Metrics withJvm() {
        JvmBufferPoolMetrics.builder().register(registry);
        JvmClassLoadingMetrics.builder().register(registry);
        JvmCompilationMetrics.builder().register(registry);
        JvmGarbageCollectorMetrics.builder().register(registry);
        JvmMemoryMetrics.builder().register(registry);
        JvmNativeMemoryMetrics.builder().register(registry);
        JvmRuntimeInfoMetric.builder().register(registry);
        JvmThreadsMetrics.builder().register(registry);
        ProcessMetrics.builder().register(registry);
        return this;
    }

    /** A counter; its children are got once and kept, since looking one up costs a map access. */
    public Counter counter(String name, String help, String... labels) {
        return Counter.builder()
                .name(name)
                .help(help)
                .labelNames(labels)
                .withoutExemplars()
                .register(registry);
    }

    /** A number that goes up and down. */
    public Gauge gauge(String name, String help, String... labels) {
        return Gauge.builder()
                .name(name)
                .help(help)
                .labelNames(labels)
                .withoutExemplars()
                .register(registry);
    }

    /** A number that is read when asked for. */
    public void gauge(String name, String help, DoubleSupplier value) {
        GaugeWithCallback.builder()
                .name(name)
                .help(help)
                .callback(callback -> callback.call(value.getAsDouble()))
                .register(registry);
    }

    /** Numbers that are read when asked for, one for each set of label values. */
    public void gauges(String name, String help, Consumer<GaugeWithCallback.Callback> values, String... labels) {
        GaugeWithCallback.builder()
                .name(name)
                .help(help)
                .labelNames(labels)
                .callback(values)
                .register(registry);
    }

    /** Durations in seconds. */
    public Histogram seconds(String name, String help, double[] upperBounds, String... labels) {
        return Histogram.builder()
                .name(name)
                .help(help)
                .labelNames(labels)
                .classicOnly()
                .withoutExemplars()
                .classicUpperBounds(upperBounds)
                .register(registry);
    }

    /** The registry, for the endpoint that writes it out. */
    public PrometheusRegistry registry() {
        return registry;
    }
}
