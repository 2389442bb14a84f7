package org.anteroom.integrity;

import java.time.Duration;
import java.util.Optional;
import org.anteroom.inventory.Lease;
import org.anteroom.inventory.LeaseRow;
import org.anteroom.inventory.LeaseStore;
import org.anteroom.inventory.Owner;
import org.anteroom.jdbc.DatabaseException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The name of an instance in a database that several share: a lease that the living boot renews.
 *
 * <p>Whether the boot that has the name lives cannot be seen at once. So {@link #take} is asked again and again: the lease
 * of a boot that was killed runs out, and that of a living one is renewed meanwhile.
 */
public final class BootLease {
    /** How long a name is kept without being renewed. */
    public static final Duration DURATION = Duration.ofSeconds(30);

    /** How often it is to be renewed. */
    public static final Duration RENEWAL = Duration.ofSeconds(10);

    private static final Logger log = LoggerFactory.getLogger(BootLease.class);

    private final LeaseStore leases;
    private final Owner owner;
    private final String role;
    private volatile @Nullable Lease lease;
    private volatile boolean lost;
    private volatile boolean closed;

    /** The other boot's lease, as it was first seen; only for who takes. */
    private @Nullable LeaseRow other;

    /** A name that is not taken yet. */
    public BootLease(LeaseStore leases, Owner owner) {
        this.leases = leases;
        this.owner = owner;
        this.role = "boot:" + owner.instance();
    }

    /**
     * Takes the name; on one thread at a time.
     *
     * @return false if another boot has it, of which is not known whether it lives: ask again after a while
     * @throws SecondBootException if it lives
     */
    public boolean take() throws DatabaseException, SecondBootException {
        if (lease != null || acquire()) {
            return true;
        }
        LeaseRow now = leases.look(role).orElse(null);
        LeaseRow before = other;
        if (now == null || before == null || now.epoch() != before.epoch()) {
            other = now;
        } else if (now.expires().isAfter(before.expires())) {
            throw new SecondBootException(owner.instance());
        }
        return false;
    }

    private boolean acquire() throws DatabaseException {
        Optional<Lease> taken = leases.acquire(role, owner, DURATION);
        if (taken.isEmpty()) {
            // it may be ours: the answer to an earlier try can have been lost
            taken = leases.look(role)
                    .filter(row -> row.owner().equals(owner))
                    .map(row -> new Lease(role, owner, row.epoch()));
        }
        if (taken.isEmpty()) {
            return false;
        }
        lease = taken.get();
        if (closed) {
            release(taken.get());
        }
        return true;
    }

    /**
     * Keeps the name; on one thread at a time. While the database was away the lease may have run out: it is taken anew,
     * unless another boot has the name by now. Then it is lost for good, since that one has ended the work of this.
     */
    public void renew() {
        Lease held = lease;
        if (held == null || closed || lost) {
            return;
        }
        try {
            if (!leases.renew(held, DURATION) && !acquire()) {
                lost = true;
                log.error(
                        "Another boot has taken the name of this instance, {}, while this one was not heard of: it makes and"
                                + " deletes no copies any more; stop one of the two, and start this one anew",
                        owner.instance());
            }
        } catch (DatabaseException e) {
            log.debug("The name of the instance is not renewed: {}", e.getMessage());
        }
    }

    /** Whether another boot has taken the name. */
    public boolean lost() {
        return lost;
    }

    /** Gives the name free, if it is taken; what belongs to it makes no changes any more that others would mind. */
    public void close() {
        closed = true;
        Lease held = lease;
        if (held != null) {
            release(held);
        }
    }

    private void release(Lease held) {
        try {
            leases.release(held);
        } catch (DatabaseException e) {
            log.warn("The name of the instance is free only in {} s: {}", DURATION.toSeconds(), e.getMessage());
        }
    }
}
