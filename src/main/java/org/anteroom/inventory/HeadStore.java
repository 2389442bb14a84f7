package org.anteroom.inventory;

import java.time.Duration;
import java.util.Optional;
import org.anteroom.jdbc.Database;
import org.anteroom.jdbc.DatabaseException;
import org.jspecify.annotations.Nullable;

/** The newest versions of datasets, as the archive told them last: what is known of them when it is away. */
public final class HeadStore {
    private final Database database;

    /** Heads in a database. */
    public HeadStore(Database database) {
        this.database = database;
    }

    /**
     * What is known of a dataset.
     *
     * @param version the newest; null if its files have none
     */
    public record Head(@Nullable String version) {}

    /** What was put last. */
    public Optional<Head> find(String dataset, Duration wait) throws DatabaseException {
        return database.read(
                "find-head",
                wait,
                handle -> handle.createQuery("SELECT version FROM heads WHERE dataset = :dataset")
                        .bind("dataset", dataset)
                        .map((row, context) -> new Head(row.getString("version")))
                        .findOne());
    }

    /** Keeps the newest version of a dataset in place of what was known. */
    public void put(String dataset, @Nullable String version, Duration wait) throws DatabaseException {
        database.write(
                "put-head",
                wait,
                handle -> handle.createUpdate("""
                                INSERT INTO heads (dataset, version, since) VALUES (:dataset, :version, <now>)
                                ON CONFLICT (dataset) DO UPDATE SET version = excluded.version, since = excluded.since""")
                        .bind("dataset", dataset)
                        .bind("version", version)
                        .execute());
    }

    /** Forgets a dataset that the archive does not have any more. */
    public void remove(String dataset, Duration wait) throws DatabaseException {
        database.write(
                "remove-head",
                wait,
                handle -> handle.createUpdate("DELETE FROM heads WHERE dataset = :dataset")
                        .bind("dataset", dataset)
                        .execute());
    }
}
