package org.anteroom.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.benmanes.caffeine.cache.Ticker;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.anteroom.archive.Archive;
import org.anteroom.archive.ArchiveGate;
import org.anteroom.archive.ArchiveSettings;
import org.anteroom.archive.ArchiveStream;
import org.anteroom.fill.WrongBytes;
import org.anteroom.inventory.CopyRow;
import org.anteroom.inventory.CopyState;
import org.anteroom.metrics.Metrics;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.anteroom.model.FileFacts;
import org.anteroom.model.FileKey;
import org.anteroom.model.Sha256;
import org.anteroom.tasks.Tasks;
import org.anteroom.volume.CopyReader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is remembered of files whose bytes are found wrong while they are passed through. */
@Timeout(60)
class PassingTest {
    private static final FileKey KEY = FileKey.of("d", "a");
    private static final int SIZE = 2_000_000;
    private static final Duration WAIT = Duration.ofSeconds(20);

    private final Metrics metrics = new Metrics();
    private final Tasks tasks = new Tasks(metrics);
    private final WrongBytes wrong = new WrongBytes(Ticker.systemTicker(), metrics);
    private final ArchiveGate gate = new ArchiveGate(
            new Zeros(),
            new ArchiveSettings("zeros", "nowhere", 2, WAIT, WAIT, WAIT, WAIT, WAIT),
            tasks,
            InstantSource.system(),
            Ticker.systemTicker());
    private final Passing passing = new Passing(gate, wrong);

    /** What the archive says, which has no checksum. */
    private final FileFacts told = new FileFacts(SIZE, null, "\"1\"", null, null);

    /** What is in the inventory, where the checksum of the bytes is that the archive once gave. */
    private final FileFacts known = told.withSha256(Sha256.of(new byte[] {1}));

    private static final class Zeros implements Archive {
        @Override
        public FileFacts head(FileKey key) {
            return new FileFacts(SIZE, null, "\"1\"", null, null);
        }

        @Override
        public ArchiveStream open(FileKey key, FileFacts expected, long offset) {
            return new ArchiveStream() {
                private long position = offset;

                @Override
                public int read(ByteBuffer target) {
                    if (position == SIZE) {
                        return -1;
                    }
                    int count = (int) Math.min(target.remaining(), SIZE - position);
                    target.put(new byte[count]);
                    position += count;
                    return count;
                }

                @Override
                public void close() {}
            };
        }

        @Override
        public void probe() {}
    }

    @AfterEach
    void stop() {
        gate.close();
        assertThat(tasks.stop(WAIT)).isEmpty();
    }

    private CopyBody copy() {
        CopyReader lost = new CopyReader() {
            @Override
            public long size() {
                return SIZE;
            }

            @Override
            public int read(ByteBuffer target, long position) throws IOException {
                throw new IOException("lost");
            }

            @Override
            public void close() {}
        };
        Instant then = Instant.EPOCH;
        return new CopyBody(new CopyRow(1, 1, KEY.objid(), "copy", known, CopyState.CACHED, then, then, then), lost);
    }

    private static void readToEnd(Body body, long from) throws Exception {
        ByteBuffer target = ByteBuffer.allocate(100_000);
        long position = from;
        for (int n = body.read(target, position); n >= 0; n = body.read(target.clear(), position)) {
            position += n;
            CompletableFuture<Void> ready = new CompletableFuture<>();
            if (n == 0 && body.await(position, () -> ready.complete(null))) {
                ready.get(20, TimeUnit.SECONDS);
            }
        }
    }

    private void breaks(Body body, long from) {
        assertThatThrownBy(() -> readToEnd(body, from))
                .isInstanceOfSatisfying(
                        FailureException.class,
                        failure -> assertThat(failure.reason()).isEqualTo(FailureReason.WRONG_BYTES));
        body.close();
    }

    @Test
    void checksumOfTheInventoryIsNotHeldAgainstTheArchiveInAnyPartOfAnAnswer() throws Exception {
        ArchiveBody first = passing.goOn(KEY, known, 0, SIZE, copy());
        ByteBuffer target = ByteBuffer.allocate(100);
        while (first.read(target, target.position()) == 0) {
            CompletableFuture<Void> ready = new CompletableFuture<>();
            if (first.await(target.position(), () -> ready.complete(null))) {
                ready.get(20, TimeUnit.SECONDS);
            }
        }
        Body next = passing.move(KEY, known, SIZE - 100, SIZE, first);
        assertThat(next).isNotSameAs(first);
        breaks(next, SIZE - 100);
        breaks(passing.goOn(KEY, known, 0, SIZE, copy()), 0);
        assertThat(wrong.has(KEY.objid(), told)).isFalse();

        breaks(passing.begin(KEY, known, 0, SIZE), 0);
        assertThat(wrong.has(KEY.objid(), known))
                .as("what the archive itself has told")
                .isTrue();
    }
}
