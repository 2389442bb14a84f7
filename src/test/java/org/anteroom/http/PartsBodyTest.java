package org.anteroom.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.anteroom.delivery.FileHeaders;
import org.anteroom.delivery.FileRequest;
import org.anteroom.delivery.Multipart;
import org.anteroom.delivery.ResponsePlan;
import org.anteroom.model.FileFacts;
import org.anteroom.model.FileKey;
import org.anteroom.testing.PlainHeaders;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Parts of a file in one body, from sources that are late, that fail, and that cannot seek. */
class PartsBodyTest {
    private static final int SIZE = 10_000;
    private final byte[] file = new byte[SIZE];
    private final Multipart parts;
    private final byte[] expected;

    PartsBodyTest() {
        for (int i = 0; i < SIZE; i++) {
            file[i] = (byte) ('a' + i % 26);
        }
        FileRequest request =
                new FileRequest(false, false, null, null, null, null, "bytes=5000-5099,0-9,9990-", null, null);
        FileHeaders headers = PlainHeaders.of(FileKey.of("d", "f.txt"), new FileFacts(SIZE, null, null, null, null));
        parts = Objects.requireNonNull(
                ResponsePlan.decide(request, headers, InstantSource.system()).multipart());
        expected = expected();
    }

    private byte[] expected() {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int part = 0; part < parts.count(); part++) {
            all.writeBytes(parts.preamble(part));
            all.write(file, (int) parts.range(part).first(), (int)
                    parts.range(part).length());
        }
        all.writeBytes(parts.closing());
        return all.toByteArray();
    }

    /** Bytes of the file up to a limit; then nothing, or a failure. */
    private final class Source implements Body {
        private final long limit;
        private final @Nullable IOException failure;
        final List<Long> awaited = new ArrayList<>();
        boolean closed;

        Source(long limit, @Nullable IOException failure) {
            this.limit = limit;
            this.failure = failure;
        }

        @Override
        public int read(ByteBuffer target, long position) throws IOException {
            int n = (int) Math.min(target.remaining(), limit - position);
            if (n > 0) {
                target.put(file, (int) position, n);
                return n;
            }
            if (failure != null) {
                throw failure;
            }
            return 0;
        }

        @Override
        public boolean await(long position, Runnable wake) {
            awaited.add(position);
            return true;
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    private static byte[] readAll(PartsBody body, int from, int room, int length) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        while (all.size() < length) {
            ByteBuffer target = ByteBuffer.allocate(Math.min(room, length - all.size()));
            int n = body.read(target, from + all.size());
            assertThat(n).isPositive().isEqualTo(target.position());
            all.write(target.array(), 0, n);
        }
        return all.toByteArray();
    }

    @Test
    void thePartsComeWithTheirHeadersWhateverTheRoom() throws IOException {
        assertThat(parts.length()).isEqualTo(expected.length);
        for (int room : new int[] {1, 2, 7, 100, 131_072}) {
            PartsBody body = new PartsBody(parts, new Source(SIZE, null), (position, before) -> before);
            assertThat(readAll(body, 0, room, expected.length)).isEqualTo(expected);
        }
    }

    @Test
    void noHeaderComesBeforeTheFirstBytesOfItsPart() throws IOException {
        Source late = new Source(5000, null);
        PartsBody body = new PartsBody(parts, late, (position, before) -> before);
        ByteBuffer target = ByteBuffer.allocate(1000);
        assertThat(body.read(target, 0)).isZero();
        assertThat(target.position()).isZero();
        assertThat(body.await(0, () -> {})).isTrue();
        assertThat(late.awaited).containsExactly(5000L);
    }

    @Test
    void aFailureBeforeTheFirstBytesIsToldBeforeAnythingIsHandedOut() {
        PartsBody body = new PartsBody(parts, new Source(0, new IOException("lost")), (position, before) -> before);
        ByteBuffer target = ByteBuffer.allocate(1000);
        assertThatThrownBy(() -> body.read(target, 0)).hasMessage("lost");
        assertThat(target.position()).isZero();
        assertThat(body.positionInFile(0)).isEqualTo(5000);
    }

    @Test
    void aSourceThatIsLostIsReplacedInTheMiddleOfAPart() throws IOException {
        Source first = new Source(5040, new EOFException("lost"));
        PartsBody body = new PartsBody(parts, first, (position, before) -> before);
        int had = parts.preamble(0).length + 40;
        byte[] begin = readAll(body, 0, 1000, had);
        assertThatThrownBy(() -> body.read(ByteBuffer.allocate(1000), had)).isInstanceOf(EOFException.class);
        assertThat(body.positionInFile(had)).isEqualTo(5040);
        assertThat(body.source()).isSameAs(first);
        body.goOn(new Source(SIZE, null));
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes(begin);
        all.writeBytes(readAll(body, had, 1000, expected.length - had));
        assertThat(all.toByteArray()).isEqualTo(expected);
    }

    @Test
    void eachFurtherPartAsksWhereItIsReadAndTheLastSourceIsClosed() throws IOException {
        List<Long> moves = new ArrayList<>();
        List<Source> sources = new ArrayList<>();
        PartsBody body = new PartsBody(parts, new Source(SIZE, null), (position, before) -> {
            moves.add(position);
            before.close();
            sources.add(new Source(SIZE, null));
            return sources.get(sources.size() - 1);
        });
        assertThat(new String(readAll(body, 0, 64, expected.length), StandardCharsets.ISO_8859_1))
                .isEqualTo(new String(expected, StandardCharsets.ISO_8859_1));
        assertThat(moves).containsExactly(0L, 9990L);
        assertThat(sources.get(0).closed).isTrue();
        assertThat(sources.get(1).closed).isFalse();
        body.close();
        assertThat(sources.get(1).closed).isTrue();
    }
}
