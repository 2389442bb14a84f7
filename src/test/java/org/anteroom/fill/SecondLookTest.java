package org.anteroom.fill;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.anteroom.archive.Archive;
import org.anteroom.archive.ArchiveStream;
import org.anteroom.metrics.Metrics;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.anteroom.model.FileFacts;
import org.anteroom.model.FileKey;
import org.anteroom.model.Sha256;
import org.anteroom.tasks.Tasks;
import org.anteroom.testing.FakeTicker;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Looking again at files that were found wrong and of which no copy can be made. */
@Timeout(60)
class SecondLookTest {
    private static final FileKey KEY = FileKey.of("d", "a");
    private static final byte[] BYTES = new byte[300_000];
    private static final Duration WAIT = Duration.ofSeconds(20);

    private final FakeTicker ticker = new FakeTicker();
    private final Metrics metrics = new Metrics();
    private final Tasks tasks = new Tasks(metrics);
    private final WrongBytes wrong = new WrongBytes(ticker, metrics);
    private final AtomicInteger opened = new AtomicInteger();
    private final AtomicInteger closed = new AtomicInteger();
    private volatile byte[] stored = BYTES;
    private volatile @Nullable FailureException failure;

    /** Without an inventory, so that no fill is begun. */
    private final Caching caching =
            new Caching(CachingSettings.STANDARD, wrong, new SecondLook(new TestArchive(), wrong, tasks), ticker);

    private final class TestArchive implements Archive {
        @Override
        public FileFacts head(FileKey key) throws IOException {
            throw new FailureException(FailureReason.INTERNAL, "nobody asks");
        }

        @Override
        public ArchiveStream open(FileKey key, FileFacts expected, long offset) {
            opened.incrementAndGet();
            ByteBuffer bytes = ByteBuffer.wrap(stored);
            return new ArchiveStream() {
                @Override
                public int read(ByteBuffer target) throws IOException {
                    FailureException now = failure;
                    if (now != null) {
                        throw now;
                    }
                    if (!bytes.hasRemaining()) {
                        return -1;
                    }
                    int count = Math.min(bytes.remaining(), target.remaining());
                    target.put(bytes.slice().limit(count));
                    bytes.position(bytes.position() + count);
                    return count;
                }

                @Override
                public void close() {
                    closed.incrementAndGet();
                }
            };
        }

        @Override
        public void probe() {}
    }

    @AfterEach
    void stop() {
        assertThat(tasks.stop(WAIT)).isEmpty();
        assertThat(closed).hasValue(opened.get());
    }

    private static FileFacts facts(@Nullable Sha256 digest) {
        return new FileFacts(BYTES.length, null, "\"1\"", digest, null);
    }

    private void look(FileFacts facts) {
        ticker.advance(WrongBytes.LOOK_AGAIN);
        int before = closed.get();
        caching.lookAgainIfDue(KEY, facts, WAIT);
        Awaitility.await().atMost(WAIT).until(() -> closed.get() > before);
    }

    @Test
    void fileIsBelievedAgainByWhoHasReadAllOfIt() {
        FileFacts facts = facts(Sha256.of(BYTES));
        wrong.note(KEY.objid(), facts);
        caching.lookAgainIfDue(KEY, facts, WAIT);
        assertThat(opened).as("not yet").hasValue(0);

        stored = new byte[BYTES.length - 1];
        look(facts);
        stored = BYTES.clone();
        stored[7] = 1;
        look(facts);
        failure = new FailureException(FailureReason.ARCHIVE_AWAY, "not now");
        look(facts);
        assertThat(wrong.has(KEY.objid(), facts)).isTrue();

        failure = null;
        stored = BYTES;
        look(facts);
        Awaitility.await().atMost(WAIT).until(() -> !wrong.has(KEY.objid(), facts));
    }

    @Test
    void fileThatItsStreamVerifiesIsBelievedWhenThatEnds() {
        FileFacts facts = facts(null);
        wrong.note(KEY.objid(), facts);
        failure = new FailureException(FailureReason.WRONG_BYTES, "still wrong");
        look(facts);
        assertThat(wrong.has(KEY.objid(), facts)).isTrue();
        failure = null;
        look(facts);
        Awaitility.await().atMost(WAIT).until(() -> !wrong.has(KEY.objid(), facts));
    }
}
