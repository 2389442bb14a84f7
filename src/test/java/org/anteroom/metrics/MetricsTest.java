package org.anteroom.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The registry of an instance. */
class MetricsTest {

    /** What that figure needs can never be taken back from the JVM, and keeps an undeployed application in memory. */
    @Test
    void the_jvms_figures_leave_out_the_one_that_listens_to_its_collectors() {
        Metrics metrics = new Metrics().withJvm();
        var names = metrics.registry().scrape().stream()
                .map(snapshot -> snapshot.getMetadata().getPrometheusName())
                .toList();
        assertThat(names)
                .contains("jvm_memory_used_bytes", "jvm_gc_collection_seconds", "jvm_threads_current")
                .doesNotContain("jvm_memory_pool_allocated_bytes");
    }

    @Test
    void two_instances_share_no_figures() {
        Metrics one = new Metrics().withJvm();
        Metrics other = new Metrics().withJvm();
        one.counter("anteroom_test", "A test").inc();
        assertThat(other.registry().scrape())
                .noneMatch(snapshot -> snapshot.getMetadata().getName().equals("anteroom_test"));
    }
}
