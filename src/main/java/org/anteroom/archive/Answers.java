package org.anteroom.archive;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Ticker;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.jspecify.annotations.Nullable;

/**
 * What the archive has said of things: askers of the same thing share one call, an answer is remembered for a moment, and that
 * there is no such thing for a time of its own. Other failures are not remembered.
 */
final class Answers<K, V> {
    private static final int REMEMBERED = 10_000;

    private final Cache<K, V> found;
    private final Cache<K, Missing> missing;
    private final ConcurrentMap<K, CompletableFuture<V>> asked = new ConcurrentHashMap<>();

    /** A failure without its stack trace and causes, which would be most of the memory. */
    private record Missing(FailureReason reason, String message) {
        FailureException failure() {
            return new FailureException(reason, message);
        }
    }

    /** None yet, of the {@value #REMEMBERED} that are remembered of each kind. */
    Answers(Duration foundTtl, Duration missingTtl, Ticker ticker) {
        this.found = memory(foundTtl, ticker);
        this.missing = memory(missingTtl, ticker);
    }

    private static <K, T> Cache<K, T> memory(Duration ttl, Ticker ticker) {
        return Caffeine.newBuilder()
                .maximumSize(REMEMBERED)
                .expireAfterWrite(ttl)
                .ticker(ticker)
                .executor(Runnable::run)
                .build();
    }

    /**
     * The answer, from memory or else by a call.
     *
     * @param call begins it; not called while another for the same key runs
     * @return completes with the answer or with a FailureException
     */
    CompletableFuture<V> get(K key, Supplier<CompletableFuture<V>> call) {
        CompletableFuture<V> known = known(key);
        if (known != null) {
            return known;
        }
        CompletableFuture<V> mine = new CompletableFuture<>();
        CompletableFuture<V> others = asked.putIfAbsent(key, mine);
        if (others != null) {
            return others.copy();
        }
        var unused = begun(call).whenComplete((answer, failure) -> {
            boolean stillWanted = asked.remove(key, mine);
            if (failure == null) {
                if (stillWanted) {
                    found.put(key, answer);
                }
                mine.complete(answer);
            } else {
                FailureException reason = ArchiveGate.failure(failure);
                if (stillWanted) {
                    missed(key, reason);
                }
                mine.completeExceptionally(reason);
            }
        });
        return mine.copy();
    }

    /** The call; one that cannot even begin has failed: others wait for it by now. */
    private static <V> CompletableFuture<V> begun(Supplier<CompletableFuture<V>> call) {
        try {
            return call.get();
        } catch (RuntimeException | Error e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** The answer if it is remembered, or somebody is asking already; else null. */
    @Nullable
    CompletableFuture<V> known(K key) {
        FailureException gone = missing(key);
        if (gone != null) {
            return CompletableFuture.failedFuture(gone);
        }
        V known = found.getIfPresent(key);
        if (known != null) {
            return CompletableFuture.completedFuture(known);
        }
        CompletableFuture<V> others = asked.get(key);
        return others == null ? null : others.copy();
    }

    /** Remembers a failure if it says that there is no such thing. */
    void missed(K key, FailureException failure) {
        if (failure.reason() == FailureReason.NOT_FOUND || failure.reason() == FailureReason.NOT_LISTED) {
            missing.put(key, new Missing(failure.reason(), failure.getMessage()));
        }
    }

    /** The failure that says that there is no such thing, if that is remembered. */
    @Nullable
    FailureException missing(K key) {
        Missing gone = missing.getIfPresent(key);
        return gone == null ? null : gone.failure();
    }

    /** Forgets what was said of a thing, and what is being said: the next question goes to the archive. */
    void forget(K key) {
        asked.remove(key);
        found.invalidate(key);
        missing.invalidate(key);
    }
}
