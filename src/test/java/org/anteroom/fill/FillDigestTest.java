package org.anteroom.fill;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Random;
import org.anteroom.model.Sha256;
import org.junit.jupiter.api.Test;

/** The places from which a digest is gone on with. */
class FillDigestTest {
    private static final int SIZE = (int) (2 * FillDigest.LEAST_DISTANCE) + 12_345;

    private final byte[] bytes = new byte[SIZE];

    FillDigestTest() {
        new Random(3).nextBytes(bytes);
    }

    private FillDigest digested(boolean placed, int upTo) {
        FillDigest digest = new FillDigest(SIZE, placed);
        for (int at = 0; at < upTo; at += 999_983) {
            ByteBuffer next = ByteBuffer.wrap(bytes, at, Math.min(999_983, upTo - at));
            digest.update(next);
            assertThat(next.remaining()).as("left as it was").isEqualTo(Math.min(999_983, upTo - at));
        }
        return digest;
    }

    private Sha256 goneOnWith(DigestedPrefix prefix) {
        int length = (int) prefix.length();
        prefix.digester().update(bytes, length, SIZE - length);
        return Sha256.of(prefix.digester());
    }

    @Test
    void theDigestIsThatOfAllBytes() {
        assertThat(digested(true, SIZE).end()).isEqualTo(Sha256.of(bytes));
        assertThat(digested(false, SIZE).end()).isEqualTo(Sha256.of(bytes));
    }

    @Test
    void fromEachPlaceTheRestLeadsToTheDigestOfAll() {
        FillDigest digest = digested(true, SIZE);
        long far = FillDigest.LEAST_DISTANCE;
        assertThat(digest.before(far - 1).length()).isZero();
        assertThat(digest.before(far).length()).isEqualTo(far);
        assertThat(digest.before(2 * far + 77).length()).isEqualTo(2 * far);
        for (long position : new long[] {5, far, far + 5, SIZE}) {
            assertThat(goneOnWith(digest.before(position))).isEqualTo(Sha256.of(bytes));
            assertThat(goneOnWith(digest.before(position)))
                    .as("again, since each has its own")
                    .isEqualTo(Sha256.of(bytes));
        }
    }

    @Test
    void thePlacesAreThoseThatWereComeTo() {
        assertThat(digested(true, (int) FillDigest.LEAST_DISTANCE + 1)
                        .before(SIZE)
                        .length())
                .isEqualTo(FillDigest.LEAST_DISTANCE);
        assertThat(digested(false, SIZE).before(SIZE).length())
                .as("none are wanted")
                .isZero();
    }

    @Test
    void theyAreFewHoweverLargeTheFile() {
        long size = 50L << 30;
        long distance = new FillDigest(size, true).distance();
        assertThat(size / distance).isLessThanOrEqualTo(FillDigest.MOST);
        assertThat(distance).isLessThan(64L << 20);
    }
}
