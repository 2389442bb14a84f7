package org.anteroom.volume;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.time.Instant;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is wrong with a volume, its reading and its writing apart; logs when that begins and when it is over.
 *
 * <p>A fault is replaced by each further failure, so that a probe heals only the fault that it saw when it began, never
 * one that came while it ran.
 */
final class Faults {
    private static final Logger log = LoggerFactory.getLogger(VolumeGuard.class);

    private final String volume;
    private final InstantSource clock;
    private volatile Sides sides;

    /** One thing that is wrong; compared by identity. */
    static final class Fault {
        private final String reason;
        private final Instant since;

        private Fault(String reason, Instant since) {
            this.reason = reason;
            this.since = since;
        }
    }

    /** The faults of both sides at a moment. */
    record Sides(@Nullable Fault read, @Nullable Fault write, Instant since) {}

    /** Begins with both sides faulty for a reason that is not logged. */
    Faults(String volume, InstantSource clock, String reason) {
        this.volume = volume;
        this.clock = clock;
        Instant now = clock.instant();
        Fault fault = new Fault(reason, now);
        this.sides = new Sides(fault, fault, now);
    }

    boolean readable() {
        return sides.read == null;
    }

    boolean writable() {
        return sides.write == null;
    }

    Sides now() {
        return sides;
    }

    VolumeHealth health() {
        Sides now = sides;
        Fault worst = now.read == null ? now.write : now.read;
        return new VolumeHealth(
                now.read == null,
                now.write == null,
                worst == null ? "" : worst.reason,
                worst == null ? now.since : worst.since);
    }

    void reading(String reason, @Nullable Throwable cause) {
        fault(true, false, reason, cause);
    }

    void writing(String reason, @Nullable Throwable cause) {
        fault(false, true, reason, cause);
    }

    void both(String reason, @Nullable Throwable cause) {
        fault(true, true, reason, cause);
    }

    private void fault(boolean read, boolean write, String reason, @Nullable Throwable cause) {
        Instant now = clock.instant();
        Sides before;
        synchronized (this) {
            before = sides;
            sides = new Sides(
                    read ? again(before.read, reason, now) : before.read,
                    write ? again(before.write, reason, now) : before.write,
                    before.since);
        }
        boolean newly = (read && before.read == null) || (write && before.write == null);
        if (newly) {
            String what = read ? (write ? "reading and writing" : "reading") : "writing";
            log.warn(
                    "Volume {} is degraded, no {}: {}{}",
                    volume,
                    what,
                    reason,
                    cause == null ? "" : " (" + cause + ")");
        }
    }

    private static Fault again(@Nullable Fault old, String reason, Instant now) {
        return new Fault(reason, old == null ? now : old.since);
    }

    /** Ends the read fault that was seen then, unless it has been replaced. */
    void healReading(Sides seen) {
        heal(seen.read, null);
    }

    /** Ends the write fault that was seen then, unless it has been replaced. */
    void healWriting(Sides seen) {
        heal(null, seen.write);
    }

    private void heal(@Nullable Fault read, @Nullable Fault write) {
        Instant now = clock.instant();
        boolean wasWell;
        boolean isWell;
        synchronized (this) {
            Sides old = sides;
            wasWell = old.read == null && old.write == null;
            Fault stillRead = old.read == read ? null : old.read;
            Fault stillWrite = old.write == write ? null : old.write;
            isWell = stillRead == null && stillWrite == null;
            sides = new Sides(stillRead, stillWrite, wasWell ? old.since : now);
        }
        if (isWell && !wasWell) {
            log.info("Volume {} is well", volume);
        }
    }

    /** A failure in words that name no path. */
    static String describe(IOException failure) {
        if (failure instanceof NoSuchFileException) {
            return "a folder or file of the volume is missing";
        }
        if (failure instanceof AccessDeniedException) {
            return "permission denied";
        }
        String text = failure instanceof FileSystemException system ? system.getReason() : failure.getMessage();
        return text == null ? "input/output error" : text;
    }
}
