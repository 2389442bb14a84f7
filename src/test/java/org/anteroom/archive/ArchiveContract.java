package org.anteroom.archive;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.anteroom.model.FileFacts;
import org.anteroom.model.FileKey;
import org.anteroom.model.FolderKey;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

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
        assertFails(FailureReason.FILE_CHANGED, () -> archive().open(key, old, 0));
    }

    // ---- folders

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 1000})
    void folderIsListedInPagesInTheOrderOfKeys(int limit) throws IOException {
        if (!canList()) {
            assertNothingIsListed();
            return;
        }
        List<String> keys = List.of(
                " a", "B", "a", "a b", "a-b", "a.b/", "a/", "a0", "b'\"\\%+;?#&", "é", "\uFF5E", "\uD83D\uDE00/");
        for (String key : keys) {
            if (holds(key)) {
                put(FileKey.of("tides-2024", "data/" + (key.endsWith("/") ? key + "inside" : key)), bytes(10));
            }
        }
        put(FileKey.of("tides-2024", "data!"), bytes(1));
        put(FileKey.of("tides-2025", "data/other"), bytes(1));
        FolderKey folder = new FolderKey("tides-2024", "data", null);
        List<String> found = new ArrayList<>();
        FolderPage page = new FolderPage(List.of(), true);
        while (page.more()) {
            page = archive().list(folder, found.isEmpty() ? "" : found.get(found.size() - 1), limit);
            assertThat(page.entries()).hasSizeBetween(1, limit);
            page.entries().forEach(entry -> found.add(entry.key()));
        }
        assertThat(found).isEqualTo(keys.stream().filter(this::holds).toList());
    }

    private boolean holds(String key) {
        return (!key.equals("a/") || holdsFilesAndFoldersOfOneName()) && (!key.equals("\uFF5E") || sortsByCodePoints());
    }

    /** Whether what lies under the archive here sorts by code points where halves of pairs would be sorted otherwise. */
    protected boolean sortsByCodePoints() {
        return true;
    }

    @Test
    void entriesAreWhatTheHeadSays() throws IOException {
        if (!canList()) {
            assertNothingIsListed();
            return;
        }
        put(FileKey.of("ark:/12345/x9", "a.txt"), bytes(20));
        put(FileKey.of("ark:/12345/x9", "data/b.txt"), bytes(20));
        FolderKey root = new FolderKey("ark:/12345/x9", "", null);
        FolderPage page = archive().list(root, "", 10);
        assertThat(page)
                .isEqualTo(new FolderPage(
                        List.of(
                                new ArchiveEntry("a.txt", archive().head(root.file("a.txt"))),
                                new ArchiveEntry("data", null)),
                        false));
        assertThat(archive().list(root, "data/", 10)).isEqualTo(new FolderPage(List.of(), false));
    }

    @ParameterizedTest
    @CsvSource({"tides-2024, a.txt", "tides-2024, dat", "tides-2024, data/none", "none, ''", "tides-2024, a.txt/below"})
    void whatIsNoFolderIsNotFound(String dataset, String path) throws IOException {
        if (!canList()) {
            assertNothingIsListed();
            return;
        }
        put(FileKey.of("tides-2024", "a.txt"), bytes(1));
        put(FileKey.of("tides-2024", "data/b.txt"), bytes(1));
        FolderKey key = new FolderKey(dataset, path, null);
        assertFails(FailureReason.NOT_FOUND, () -> archive().list(key, "", 10));
        assertFails(FailureReason.NOT_FOUND, () -> archive().list(key, "", 0));
    }

    @Test
    void listOfNothingTellsThatThereIsTheFolder() throws IOException {
        if (!canList()) {
            assertNothingIsListed();
            return;
        }
        put(FileKey.of("tides-2024", "data/b.txt"), bytes(1));
        assertThat(archive()
                        .list(new FolderKey("tides-2024", "data", null), "", 0)
                        .entries())
                .isEmpty();
    }

    /** Whether this kind of archive can list. One that cannot says so, whatever is asked for. */
    protected boolean canList() {
        return true;
    }

    private void assertNothingIsListed() throws IOException {
        put(FileKey.of("tides-2024", "data/b.txt"), bytes(1));
        FolderKey folder = new FolderKey("tides-2024", "data", null);
        assertFails(FailureReason.NOT_LISTED, () -> archive().list(folder, "", 10));
        assertFails(FailureReason.NOT_LISTED, () -> archive().list(folder, "", 0));
    }

    /** Whether this kind of archive can hold a file and a folder of the same name. */
    protected abstract boolean holdsFilesAndFoldersOfOneName();

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
