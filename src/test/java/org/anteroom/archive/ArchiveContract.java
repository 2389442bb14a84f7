package org.anteroom.archive;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Random;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.anteroom.model.FileFacts;
import org.anteroom.model.FileKey;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What every kind of archive promises. */
public abstract class ArchiveContract {

    /** An archive that holds what was put. */
    protected abstract Archive archive() throws IOException;

    /** Puts a file into the archive, or replaces it by other bytes. */
    protected abstract void put(FileKey key, byte[] bytes) throws IOException;

    @Test
    void factsAreTheSameUntilTheFileChanges() throws IOException {
        FileKey key = FileKey.of("tides-2024", "data/a.csv");
        put(key, bytes(1000));
        FileFacts facts = archive().head(key);
        assertThat(facts.size()).isEqualTo(1000);
        assertThat(archive().head(key)).isEqualTo(facts);
        put(key, bytes(1001));
        FileFacts changed = archive().head(key);
        assertThat(changed.size()).isEqualTo(1001);
        assertThat(changed.sameContent(facts)).isFalse();
    }

    @Test
    void fileIsReadWholeAndFromAnyOffset() throws IOException {
        FileKey key = FileKey.of("tides-2024", "data/a.bin");
        byte[] bytes = bytes(200_000);
        put(key, bytes);
        FileFacts facts = archive().head(key);
        for (int offset : new int[] {0, 1, 65_536, 199_999, 200_000}) {
            assertThat(read(key, facts, offset)).isEqualTo(java.util.Arrays.copyOfRange(bytes, offset, bytes.length));
        }
    }

    @Test
    void fileOfNoBytes() throws IOException {
        FileKey key = FileKey.of("tides-2024", "empty");
        put(key, new byte[0]);
        FileFacts facts = archive().head(key);
        assertThat(facts.size()).isZero();
        assertThat(read(key, facts, 0)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "tides-2024, 潮位/二〇二四年.csv",
        "tides-2024, name with spaces and 'quotes' \"both\".txt",
        "tides-2024, 100%25.txt",
        "tides-2024, back\\slash@2.txt",
        "ark:/12345/x9, readme.txt",
        "doi:10.5072/a/b@c%, readme.txt"
    })
    void everyNameCanBeRead(String dataset, String path) throws IOException {
        FileKey key = FileKey.of(dataset, path);
        put(key, path.getBytes(UTF_8));
        assertThat(read(key, archive().head(key), 0)).asString(UTF_8).isEqualTo(path);
    }

    @ParameterizedTest
    @CsvSource({
        "tides-2024, none.txt",
        "none, a.txt",
        "tides-2024, data",
        "tides-2024, a.txt/below",
        "tides-2024, data/none/none",
        "ark:, 12345/x9/a.txt"
    })
    void whatIsNoFileIsNotFound(String dataset, String path) throws IOException {
        put(FileKey.of("tides-2024", "a.txt"), bytes(1));
        put(FileKey.of("tides-2024", "data/b.txt"), bytes(1));
        put(FileKey.of("ark:/12345/x9", "a.txt"), bytes(1));
        FileKey key = FileKey.of(dataset, path);
        assertFails(FailureReason.NOT_FOUND, () -> archive().head(key));
        FileFacts facts = archive().head(FileKey.of("tides-2024", "a.txt"));
        assertFails(FailureReason.NOT_FOUND, () -> archive().open(key, facts, 0));
    }

    @Test
    void changedFileIsNotReadAsTheOldOne() throws IOException {
        FileKey key = FileKey.of("tides-2024", "a.txt");
        put(key, bytes(1000));
        FileFacts old = archive().head(key);
        put(key, bytes(1001));
        assertFails(FailureReason.WRONG_BYTES, () -> archive().open(key, old, 0));
    }

    @Test
    void answersTheProbe() throws IOException {
        put(FileKey.of("tides-2024", "a.txt"), bytes(1));
        archive().probe();
    }

    protected byte[] read(FileKey key, FileFacts facts, long offset) throws IOException {
        try (ArchiveStream stream = archive().open(key, facts, offset)) {
            return readAll(stream);
        }
    }

    protected static byte[] readAll(ArchiveStream stream) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        ByteBuffer buffer = ByteBuffer.allocate(7000);
        for (int count = stream.read(buffer); count >= 0; count = stream.read(buffer.clear())) {
            assertThat(count).isPositive().isEqualTo(buffer.position());
            all.write(buffer.array(), 0, count);
        }
        assertThat(stream.read(buffer.clear())).as("the end stays the end").isEqualTo(-1);
        return all.toByteArray();
    }

    protected static byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    protected static void assertFails(FailureReason reason, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        FailureException.class,
                        failure -> assertThat(failure.reason()).isEqualTo(reason));
    }
}
