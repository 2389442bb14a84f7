package org.anteroom.jdbc;

import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.ToDoubleFunction;
import org.anteroom.metrics.Metrics;

/** The databases of an instance and what they cost: their pools, their statements, their queues of changes. */
public final class Pools {
    private final Counter statements;
    private final List<Database> databases = new CopyOnWriteArrayList<>();

    /** No databases yet; each adds itself. */
    public Pools(Metrics metrics) {
        this.statements = metrics.counter("anteroom_sql_statements", "SQL statements that were run", "operation");
        counter(
                metrics,
                "anteroom_sql_pool_acquisitions",
                "Connections taken from the pool",
                d -> d.figures().acquisitions());
        counter(
                metrics,
                "anteroom_sql_pool_waits",
                "Connections that took longer than a millisecond to get",
                d -> d.figures().waits());
        counter(
                metrics,
                "anteroom_sql_pool_wait_seconds",
                "Time that those waits took together",
                d -> d.figures().waitSeconds());
        counter(
                metrics,
                "anteroom_sql_pool_held_seconds",
                "Time that connections were held together",
                d -> d.figures().heldSeconds());
        gauge(
                metrics,
                "anteroom_sql_pool_connections_max",
                "The most connections of the pool",
                d -> d.figures().max());
        gauge(
                metrics,
                "anteroom_sql_pool_connections_active",
                "Connections in use",
                d -> d.figures().active());
        gauge(
                metrics,
                "anteroom_sql_pool_connections_idle",
                "Connections that wait to be used",
                d -> d.figures().idle());
        gauge(
                metrics,
                "anteroom_sql_pool_threads_waiting",
                "Threads that wait for a connection",
                d -> d.figures().waiting());
        gauge(
                metrics,
                "anteroom_sql_changes_queue_depth",
                "Changes that wait for the writer",
                Database::changesWaiting);
        gauge(
                metrics,
                "anteroom_sql_changes_queue_limit",
                "The most changes that may wait for the writer",
                d -> Database.CHANGES_LIMIT);
    }

    private void counter(Metrics metrics, String name, String help, ToDoubleFunction<Database> value) {
        CounterWithCallback.builder()
                .name(name)
                .help(help)
                .labelNames("pool")
                .callback(callback -> databases.forEach(d -> callback.call(value.applyAsDouble(d), d.name())))
                .register(metrics.registry());
    }

    private void gauge(Metrics metrics, String name, String help, ToDoubleFunction<Database> value) {
        metrics.gauges(
                name,
                help,
                callback -> databases.forEach(d -> callback.call(value.applyAsDouble(d), d.name())),
                "pool");
    }

    void add(Database database) {
        databases.add(database);
    }

    void countStatement(String operation) {
        statements.labelValues(operation).inc();
    }

    /** The figures of every pool. */
    public List<PoolFigures> figures() {
        return databases.stream().map(Database::figures).toList();
    }
}
