package org.anteroom.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.anteroom.archive.AsyncArchiveStream;
import org.anteroom.fill.DigestedPrefix;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.anteroom.model.FileFacts;
import org.anteroom.model.Sha256;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Passing the archive's bytes through while each of its answers is waited for. */
class ArchiveBodyTest {
    private static final int SIZE = 300_000;

    private final byte[] bytes = new byte[SIZE];
    private final Stream stream = new Stream();
    private int mismatches;
    private int handedOut;

    ArchiveBodyTest() {
        new Random(1).nextBytes(bytes);
    }

    @Test
    void bytesAreHandedOutWhenTheArchiveHasAnsweredAndNotBefore() throws IOException {
        assertThat(readAll(0, null)).isEqualTo(bytes);
        assertThat(stream.closed).isTrue();
    }

    @Test
    void theRestOfAFileIsReadFromAnOffset() throws IOException {
        assertThat(readAll(123_456, null)).isEqualTo(Arrays.copyOfRange(bytes, 123_456, SIZE));
    }

    @Test
    void theLastBytesWaitForTheEndOfTheStream() throws IOException {
        ArchiveBody body = new ArchiveBody(stream, facts(null), 0, () -> mismatches++);
        ByteBuffer target = ByteBuffer.allocate(SIZE);
        while (stream.position < SIZE) {
            if (body.read(target, target.position()) == 0) {
                stream.answer();
            }
        }
        while (body.read(target, target.position()) > 0) {
            // all that may be had before the end
        }
        assertThat(target.position()).isEqualTo(SIZE - ArchiveBody.HELD_BACK);
        readRest(body, target);
        assertThat(target.array()).isEqualTo(bytes);
    }

    @Test
    void aWholeFileWithAnotherChecksumIsNotHandedOutWhole() {
        Sha256 other = Sha256.of(Sha256.digester());
        assertThatThrownBy(() -> readAll(0, other))
                .isInstanceOfSatisfying(
                        FailureException.class,
                        failure -> assertThat(failure.reason()).isEqualTo(FailureReason.WRONG_BYTES));
    }

    @Test
    void aFailureOfTheArchiveIsToldByTheNextRead() throws IOException {
        ArchiveBody body = new ArchiveBody(stream, facts(null), 0, () -> mismatches++);
        ByteBuffer target = ByteBuffer.allocate(SIZE);
        assertThat(body.read(target, 0)).isZero();
        stream.asked.completeExceptionally(new FailureException(FailureReason.ARCHIVE_TIMEOUT, "too slow"));
        assertThat(body.await(0, () -> {})).isFalse();
        assertThatThrownBy(() -> body.read(target, 0)).hasMessage("too slow");
    }

    @ParameterizedTest
    @CsvSource({"WRONG_BYTES, 1", "FILE_CHANGED, 0", "ARCHIVE_FAILED, 0"})
    void wrongBytesThatTheStreamFindsAreToldLikeOurOwn(FailureReason reason, int told) throws IOException {
        for (Sha256 checksum : new Sha256[] {null, Sha256.of(bytes)}) {
            mismatches = 0;
            ArchiveBody body = checksum == null
                    ? new ArchiveBody(stream, facts(null), 0, () -> mismatches++)
                    : new ArchiveBody(stream, facts(checksum), DigestedPrefix.none(), 0, () -> mismatches++);
            ByteBuffer target = ByteBuffer.allocate(SIZE);
            assertThat(body.read(target, 0)).isZero();
            stream.asked.completeExceptionally(new FailureException(reason, "so it is"));
            assertThatThrownBy(() -> body.read(target, 0)).hasMessage("so it is");
            assertThat(mismatches).isEqualTo(told);
        }
    }

    @Test
    void whatIsAtHandOrSoonIsSkippedToAndNothingElse() throws IOException {
        ArchiveBody body = new ArchiveBody(stream, facts(null), 0, () -> mismatches++);
        ByteBuffer target = ByteBuffer.allocate(100);
        assertThat(body.read(target, 0)).isZero();
        assertThat(body.skipTo(0)).as("while the buffer is the stream's").isFalse();
        stream.answer();
        assertThat(body.read(target, 0)).isEqualTo(100);
        assertThat(body.skipTo(99)).isFalse();
        assertThat(body.skipTo(Stream.CHUNK + ArchiveBody.READ_OVER + 1)).isFalse();
        assertThat(body.skipTo(60_000)).isTrue();
        assertThat(body.read(target.clear(), 60_000)).isEqualTo(100);
        assertThat(target.array()).isEqualTo(Arrays.copyOfRange(bytes, 60_000, 60_100));

        assertThat(body.skipTo(Stream.CHUNK)).isTrue();
        assertThat(body.read(target.clear(), Stream.CHUNK)).isZero();
        stream.answer();
        assertThat(body.read(target, Stream.CHUNK)).isEqualTo(100);
        assertThat(target.array()).isEqualTo(Arrays.copyOfRange(bytes, Stream.CHUNK, Stream.CHUNK + 100));
    }

    @Test
    void whatLiesBetweenIsReadAndThrownAway() throws IOException {
        int far = SIZE - 50;
        ArchiveBody body = new ArchiveBody(stream, facts(null), 0, () -> mismatches++);
        ByteBuffer target = ByteBuffer.allocate(100);
        assertThat(body.read(target, 0)).isZero();
        stream.answer();
        assertThat(body.read(target, 0)).isEqualTo(100);
        assertThat(body.skipTo(far)).isTrue();
        target.clear();
        for (int n = body.read(target, far); n == 0; n = body.read(target, far)) {
            stream.answer();
        }
        assertThat(target.flip().remaining()).isEqualTo(50);
        assertThat(Arrays.copyOf(target.array(), 50)).isEqualTo(Arrays.copyOfRange(bytes, far, SIZE));
        assertThat(body.read(target.clear(), SIZE)).isEqualTo(-1);
    }

    @Test
    void aStreamThatEndsBeforeThePositionSkippedToHasNoBytes() throws IOException {
        ArchiveBody body = new ArchiveBody(stream, facts(null), 0, () -> mismatches++);
        ByteBuffer target = ByteBuffer.allocate(100);
        assertThat(body.read(target, 0)).isZero();
        stream.answer();
        assertThat(body.read(target, 0)).isEqualTo(100);
        assertThat(body.skipTo(Stream.CHUNK + 100_000)).isTrue();
        assertThat(body.read(target.clear(), Stream.CHUNK + 100_000)).isZero();
        stream.asked.complete(-1);
        assertThat(body.read(target, Stream.CHUNK + 100_000)).isEqualTo(-1);
        assertThat(target.position()).isZero();
    }

    @Test
    void aFileIsVerifiedThatIsGoneOnWithFromWhatSomebodyElseHasDigested() throws IOException {
        assertThat(goOn(Sha256.of(bytes))).isEqualTo(Arrays.copyOfRange(bytes, 123_456, SIZE));
        assertThat(mismatches).isZero();
    }

    @Test
    void itIsNotHandedOutWholeIfItIsWrong() {
        assertThatThrownBy(() -> goOn(Sha256.of(new byte[] {1})))
                .isInstanceOfSatisfying(
                        FailureException.class,
                        failure -> assertThat(failure.reason()).isEqualTo(FailureReason.WRONG_BYTES));
        assertThat(handedOut).isLessThanOrEqualTo(SIZE - ArchiveBody.HELD_BACK);
        assertThat(mismatches).isEqualTo(1);
    }

    private byte[] goOn(Sha256 checksum) throws IOException {
        DigestedPrefix prefix = new DigestedPrefix(100_000, Sha256.digester());
        prefix.digester().update(bytes, 0, 100_000);
        stream.position = 100_000;
        ByteBuffer target = ByteBuffer.allocate(SIZE);
        target.position(123_456);
        ArchiveBody body = new ArchiveBody(stream, facts(checksum), prefix, 123_456, () -> mismatches++);
        try {
            readRest(body, target);
        } finally {
            handedOut = target.position();
        }
        return Arrays.copyOfRange(target.array(), 123_456, SIZE);
    }

    private FileFacts facts(@Nullable Sha256 checksum) {
        return new FileFacts(SIZE, null, "\"tag\"", checksum, null);
    }

    private byte[] readAll(int offset, @Nullable Sha256 checksum) throws IOException {
        stream.position = offset;
        ByteBuffer target = ByteBuffer.allocate(SIZE);
        target.position(offset);
        ArchiveBody body = checksum == null
                ? new ArchiveBody(stream, facts(null), offset, () -> mismatches++)
                : new ArchiveBody(stream, facts(checksum), DigestedPrefix.none(), offset, () -> mismatches++);
        readRest(body, target);
        body.close();
        return Arrays.copyOfRange(target.array(), offset, SIZE);
    }

    /** Asks twice for what is not there yet, as a client's readiness and a wake-up may do at the same time. */
    private void readRest(ArchiveBody body, ByteBuffer target) throws IOException {
        int n = 0;
        while (n >= 0) {
            n = body.read(target, target.position());
            if (n == 0) {
                assertThat(body.read(target, target.position())).isZero();
                assertThat(body.await(target.position(), () -> {})).isTrue();
                stream.answer();
            }
        }
        assertThat(target.hasRemaining()).isFalse();
    }

    /** Answers each read when it is told to. */
    private final class Stream implements AsyncArchiveStream {
        private static final int CHUNK = 64 * 1024;

        private CompletableFuture<Integer> asked = new CompletableFuture<>();
        private ByteBuffer target = ByteBuffer.allocate(0);
        private int position;
        private boolean closed;

        @Override
        public CompletableFuture<Integer> read(ByteBuffer buffer) {
            target = buffer;
            asked = new CompletableFuture<>();
            return asked;
        }

        void answer() {
            int n = Math.min(Math.min(CHUNK, target.remaining()), SIZE - position);
            target.put(bytes, position, n);
            position += n;
            asked.complete(n == 0 ? -1 : n);
        }

        @Override
        public void close() {
            closed = true;
        }
    }
}
