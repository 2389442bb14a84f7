package org.anteroom.fill;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Ticker;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.anteroom.metrics.Metrics;
import org.anteroom.model.FileFacts;

/**
 * Files whose bytes in the archive were found not to match the checksum that it gives: nobody is sent them again until the
 * archive says something else of them.
 *
 * <p>What it says may also stay the same when the bytes are put right. So each is looked at again once in
 * {@link #LOOK_AGAIN}, by a fill that no reader waits for or a {@link SecondLook}; {@link #forget} is for who found it right,
 * or wants it looked at now. The memory of one instance, of {@value #MOST} files.
 */
public final class WrongBytes {
    static final int MOST = 10_000;

    /** How long a file that is asked for is refused before it is looked at again. */
    static final Duration LOOK_AGAIN = Duration.ofMinutes(10);

    private final Cache<String, Found> files;
    private final Ticker ticker;

    private record Found(FileFacts facts, AtomicLong lookAgainAt) {}

    /** None yet. */
    public WrongBytes(Ticker ticker, Metrics metrics) {
        this.ticker = ticker;
        this.files =
                Caffeine.newBuilder().maximumSize(MOST).executor(Runnable::run).build();
        metrics.gauge(
                "anteroom_wrong_files",
                "Files that are refused since their bytes in the archive do not match its checksum",
                files::estimatedSize);
        metrics.gauge("anteroom_wrong_files_limit", "The most of them that are remembered", () -> MOST);
    }

    /** Remembers that the bytes do not match these facts. */
    public void note(String objid, FileFacts facts) {
        files.put(objid, new Found(facts, new AtomicLong(ticker.read() + LOOK_AGAIN.toNanos())));
    }

    /** Whether the bytes are known not to match these facts; other facts are believed again. */
    public boolean has(String objid, FileFacts facts) {
        Found found = files.getIfPresent(objid);
        if (found == null) {
            return false;
        }
        if (found.facts().sameContent(facts)) {
            return true;
        }
        files.asMap().remove(objid, found);
        return false;
    }

    /** Whether it is time to look at the file again: true for one of those who ask. */
    public boolean isDue(String objid) {
        Found found = files.getIfPresent(objid);
        if (found == null) {
            return false;
        }
        long due = found.lookAgainAt().get();
        long now = ticker.read();
        return now - due >= 0 && found.lookAgainAt().compareAndSet(due, now + LOOK_AGAIN.toNanos());
    }

    /** Believes the file again. */
    public void forget(String objid) {
        files.invalidate(objid);
    }
}
