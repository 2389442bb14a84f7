package org.anteroom.app;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.anteroom.jdbc.DatabaseException;
import org.anteroom.volume.Adoption;

/**
 * The first looks at the volumes, each on a thread of its own and waited for within bounds: a mount that hangs holds up
 * neither a start nor a stop. A look that comes to its end later still counts. Used by one thread at a time.
 */
final class Adoptions {
    private final ExecutorService threads;
    private final Map<String, Future<Adoption>> looks = new HashMap<>();

    /**
     * None yet.
     *
     * @param threads one for each volume
     */
    Adoptions(ExecutorService threads) {
        this.threads = threads;
    }

    /** Begins to look at a volume, unless an earlier look has not ended or not been waited for yet. */
    void begin(String volume, Callable<Adoption> look) {
        var unused = looks.computeIfAbsent(volume, name -> threads.submit(look));
    }

    /**
     * What has been begun for a volume; degraded if that does not end in time.
     *
     * @throws DatabaseException if the look failed for the inventory's sake
     */
    Adoption await(String volume, Duration wait) throws DatabaseException {
        Future<Adoption> look = looks.get(volume);
        if (look == null) {
            throw new IllegalStateException("nobody looks at " + volume);
        }
        try {
            Adoption adoption = look.get(wait.toNanos(), TimeUnit.NANOSECONDS);
            looks.remove(volume);
            return adoption;
        } catch (TimeoutException e) {
            return new Adoption.Degraded("it does not answer");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Adoption.Degraded("it was not waited for");
        } catch (ExecutionException e) {
            looks.remove(volume);
            if (e.getCause() instanceof DatabaseException failure) {
                throw failure;
            }
            throw new IllegalStateException(e.getCause());
        }
    }
}
