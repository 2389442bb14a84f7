package org.anteroom.inventory;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.anteroom.jdbc.Database;
import org.anteroom.jdbc.DatabaseException;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.SqlStatement;

/** Roles that one owner in the fleet has at a time, by the database's clock. */
public final class LeaseStore {
    private static final String MINE =
            " WHERE name = :name AND instance = :instance AND boot = :boot AND epoch = :epoch AND expires > <now>";

    private final Database database;
    private final Duration wait;

    /**
     * Leases in a database.
     *
     * @param wait how long a call may wait for the database in all
     */
    public LeaseStore(Database database, Duration wait) {
        this.database = database;
        this.wait = wait;
    }

    /** Takes a role that nobody has, for a while; not even its owner can take it a second time. */
    public Optional<Lease> acquire(String name, Owner owner, Duration duration) throws DatabaseException {
        return database.write(
                "acquire-lease",
                wait,
                handle -> handle.createQuery("""
                        INSERT INTO leases (name, instance, boot, epoch, expires)
                        VALUES (:name, :instance, :boot, 1, <now> + :duration)
                        ON CONFLICT (name) DO UPDATE SET
                            instance = excluded.instance, boot = excluded.boot,
                            epoch = leases.epoch + 1, expires = excluded.expires
                        WHERE leases.expires <= <now>
                        RETURNING epoch""")
                        .bind("name", name)
                        .bind("instance", owner.instance())
                        .bind("boot", owner.boot())
                        .bind("duration", duration.toMillis())
                        .mapTo(Long.class)
                        .findOne()
                        .map(epoch -> new Lease(name, owner, epoch)));
    }

    /** Keeps a role, from now; false if it is lost. */
    public boolean renew(Lease lease, Duration duration) throws DatabaseException {
        return database.write(
                "renew-lease",
                wait,
                handle -> bind(handle.createUpdate("UPDATE leases SET expires = <now> + :duration" + MINE), lease)
                                .bind("duration", duration.toMillis())
                                .execute()
                        == 1);
    }

    /** Gives a role up; nothing happens if it is lost. */
    public void release(Lease lease) throws DatabaseException {
        // the row stays, so that an epoch never comes twice
        database.write(
                "release-lease",
                wait,
                handle -> bind(handle.createUpdate("UPDATE leases SET expires = 0" + MINE), lease)
                        .execute());
    }

    /** Who has a role. */
    public Optional<Owner> holder(String name) throws DatabaseException {
        return database.read(
                "lease-holder",
                wait,
                handle -> handle.createQuery("SELECT instance, boot FROM leases WHERE name = :name AND expires > <now>")
                        .bind("name", name)
                        .map((row, context) -> new Owner(row.getString("instance"), row.getString("boot")))
                        .findOne());
    }

    /** What is known of a role, also of one that nobody has any more; empty if nobody ever had it. */
    public Optional<LeaseRow> look(String name) throws DatabaseException {
        return database.read(
                "look-at-lease",
                wait,
                handle -> handle.createQuery("SELECT instance, boot, epoch, expires FROM leases WHERE name = :name")
                        .bind("name", name)
                        .map((row, context) -> new LeaseRow(
                                new Owner(row.getString("instance"), row.getString("boot")),
                                row.getLong("epoch"),
                                Instant.ofEpochMilli(row.getLong("expires"))))
                        .findOne());
    }

    /** Gives up the roles of earlier boots of the same instance; how many. */
    public int releaseEarlierBoots(Owner current) throws DatabaseException {
        return database.write(
                "release-earlier-leases",
                wait,
                handle -> handle.createUpdate(
                                "UPDATE leases SET expires = 0 WHERE instance = :instance AND boot <> :boot AND expires > <now>")
                        .bind("instance", current.instance())
                        .bind("boot", current.boot())
                        .execute());
    }

    /** Whether a lease is still kept; until the end of the transaction nobody else can take it. */
    static boolean held(Handle handle, Lease lease) {
        // an update and no query: that locks the row in any database
        return bind(handle.createUpdate("UPDATE leases SET epoch = epoch" + MINE), lease)
                        .execute()
                == 1;
    }

    private static <S extends SqlStatement<S>> S bind(S statement, Lease lease) {
        return statement
                .bind("name", lease.name())
                .bind("instance", lease.owner().instance())
                .bind("boot", lease.owner().boot())
                .bind("epoch", lease.epoch());
    }
}
