package org.anteroom.volume.fs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import org.anteroom.testing.OpenFiles;
import org.anteroom.volume.CopyReader;
import org.anteroom.volume.CopyWriter;
import org.anteroom.volume.NoSuchCopyException;
import org.anteroom.volume.VolumeContract;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FilesystemVolumeTest extends VolumeContract {
    @TempDir
    Path folder;

    private Path location() {
        return folder.resolve("disk/cache");
    }

    @Override
    protected FilesystemVolume unmarked() {
        return new FilesystemVolume("fast", location());
    }

    @Override
    protected FilesystemVolume volume() throws IOException {
        FilesystemVolume volume = unmarked();
        volume.writeMarker(MARKER);
        return volume;
    }

    @AfterEach
    void noFileStaysOpen() throws IOException {
        assertThat(OpenFiles.under(folder)).isEmpty();
    }

    @Test
    void layout() throws IOException {
        make(volume(), COPY, bytes(5));
        assertThat(location().resolve(".anteroom-volume")).hasContent(MARKER + "\n");
        assertThat(location().resolve("copies/01/23/" + COPY)).hasBinaryContent(bytes(5));
        assertThat(location().resolve("tmp")).isEmptyDirectory();
    }

    @Test
    void locationMayBeALinkToAFolder() throws IOException {
        Path elsewhere = Files.createDirectory(folder.resolve("elsewhere"));
        Files.createDirectory(folder.resolve("disk"));
        Files.createSymbolicLink(location(), elsewhere);
        make(volume(), COPY, bytes(5));
        assertThat(elsewhere.resolve("copies/01/23/" + COPY)).hasBinaryContent(bytes(5));
    }

    @Test
    void foldersDoNotGrowWhereTheDiskIsNotMounted() throws IOException {
        FilesystemVolume volume = volume();
        make(volume, COPY, bytes(5));
        Files.move(location(), folder.resolve("unmounted"));
        Files.createDirectory(location());
        assertThat(volume.readMarker()).isEmpty();
        assertThatThrownBy(() -> volume.open(COPY)).isInstanceOf(NoSuchCopyException.class);
        assertThatThrownBy(() -> volume.create("1.1", COPY)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> volume.list("", 10)).isInstanceOf(IOException.class);
        assertThatThrownBy(volume::temporaries).isInstanceOf(IOException.class);
        assertThat(location()).isEmptyDirectory();
    }

    @Test
    void diskThatGoesAwayUnderAWriterFailsTheCommit() throws IOException {
        FilesystemVolume volume = volume();
        try (CopyWriter writer = volume.create("1.1", COPY)) {
            writer.write(ByteBuffer.wrap(bytes(5)));
            Files.move(location(), folder.resolve("unmounted"));
            Files.createDirectory(location());
            assertThatThrownBy(writer::commit).isInstanceOf(IOException.class);
        }
        assertThat(location()).isEmptyDirectory();
    }

    @Test
    void onlyAMissingFileIsAMissingCopy() throws IOException {
        FilesystemVolume volume = volume();
        Files.writeString(location().resolve("copies/01"), "a file where a folder should be");
        assertThatThrownBy(() -> volume.open(COPY))
                .isInstanceOf(IOException.class)
                .isNotInstanceOf(NoSuchCopyException.class);
        try (CopyWriter writer = volume.create("1.1", COPY)) {
            writer.write(ByteBuffer.wrap(bytes(5)));
            assertThatThrownBy(writer::commit).isInstanceOf(IOException.class);
        }
        assertThat(volume.temporaries()).isEmpty();
    }

    @Test
    void linkIsNoCopy() throws IOException {
        FilesystemVolume volume = volume();
        Path secret = Files.writeString(folder.resolve("secret"), "secret");
        Files.createDirectories(location().resolve("copies/01/23"));
        Files.createSymbolicLink(location().resolve("copies/01/23").resolve(COPY), secret);
        assertThatThrownBy(() -> volume.open(COPY))
                .isInstanceOf(IOException.class)
                .isNotInstanceOf(NoSuchCopyException.class);
    }

    @Test
    void strangersAreNeitherListedNorTouched() throws IOException {
        FilesystemVolume volume = volume();
        make(volume, COPY, bytes(5));
        Path stranger = Files.writeString(location().resolve("copies/01/23/README"), "?");
        Files.writeString(location().resolve("copies/README"), "?");
        Files.writeString(location().resolve("tmp/README"), "?");
        assertThat(volume.list("", 10)).containsExactly(COPY);
        assertThat(volume.temporaries()).isEmpty();
        assertThat(stranger).exists();
    }

    @Test
    void folderInUseDoesNotBecomeAVolume() throws IOException {
        Files.createDirectories(location());
        Files.writeString(location().resolve("thesis.txt"), "important");
        assertThatThrownBy(() -> unmarked().writeMarker(MARKER))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("not empty");
        assertThat(location()).isDirectoryNotContaining("glob:**copies");
    }

    @Test
    void copiesWithoutAMarkerDoNotBecomeAVolume() throws IOException {
        make(volume(), COPY, bytes(5));
        Files.delete(location().resolve(".anteroom-volume"));
        assertThatThrownBy(() -> unmarked().writeMarker(MARKER)).isInstanceOf(IOException.class);
        assertThat(unmarked().readMarker()).isEmpty();
    }

    @Test
    void freshFileSystemBecomesAVolume() throws IOException {
        Files.createDirectories(location().resolve("lost+found"));
        volume();
        assertThat(unmarked().readMarker()).contains(MARKER);
    }

    @Test
    void firstUseThatBrokeOffIsTakenUpAgain() throws IOException {
        Files.createDirectories(location().resolve("tmp"));
        Files.writeString(location().resolve(".anteroom-volume.new-1"), "half");
        volume();
        assertThat(unmarked().readMarker()).contains(MARKER);
    }

    @Test
    void emptyMarkerIsAFailureAndNotAFirstUse() throws IOException {
        FilesystemVolume volume = volume();
        Files.writeString(location().resolve(".anteroom-volume"), "");
        assertThatThrownBy(volume::readMarker).isInstanceOf(IOException.class);
    }

    @Test
    void openReaderOutlivesTheDeletion() throws IOException {
        FilesystemVolume volume = volume();
        make(volume, COPY, bytes(5000));
        try (CopyReader reader = volume.open(COPY)) {
            assertThat(volume.delete(COPY)).isTrue();
            assertThat(bytes(reader, 0, 5000)).isEqualTo(bytes(5000));
        }
    }

    @Test
    void readingGoesOnUnderAnInterrupt() throws IOException {
        FilesystemVolume volume = volume();
        make(volume, COPY, bytes(5000));
        try (CopyReader reader = volume.open(COPY)) {
            Thread.currentThread().interrupt();
            assertThat(bytes(reader, 0, 5000)).isEqualTo(bytes(5000));
            assertThat(Thread.interrupted()).as("the flag is kept").isTrue();
        }
    }

    @Test
    void interruptsDoNotHarmOthersWhoShareTheReader() throws Exception {
        FilesystemVolume volume = volume();
        byte[] content = bytes(4 << 20);
        make(volume, COPY, content);
        AtomicBoolean done = new AtomicBoolean();
        CountDownLatch reading = new CountDownLatch(1);
        try (CopyReader reader = volume.open(COPY)) {
            FutureTask<Boolean> victim = new FutureTask<>(() -> {
                while (!done.get()) {
                    assertThat(bytes(reader, 0, content.length)).isEqualTo(content);
                    reading.countDown();
                }
                return Thread.interrupted();
            });
            Thread thread = new Thread(victim, "interrupted-reader");
            thread.start();
            reading.await();
            for (int i = 0; i < 20; i++) {
                thread.interrupt();
                assertThat(bytes(reader, 0, content.length)).isEqualTo(content);
            }
            done.set(true);
            assertThat(victim.get()).isTrue();
        }
    }

    @Test
    void closedReaderStaysClosed() throws IOException {
        FilesystemVolume volume = volume();
        make(volume, COPY, "x".getBytes(UTF_8));
        CopyReader reader = volume.open(COPY);
        reader.close();
        reader.close();
        assertThatThrownBy(() -> reader.read(ByteBuffer.allocate(1), 0)).isInstanceOf(IOException.class);
    }

    @Test
    void writerClosedBeforeItsCommitCommitsNothing() throws IOException {
        FilesystemVolume volume = volume();
        CopyWriter writer = volume.create("1.1", COPY);
        writer.close();
        assertThatThrownBy(writer::commit).isInstanceOf(IOException.class);
        assertThat(volume.list("", 10)).isEmpty();
    }

    @Test
    void freeSpaceOfNothingIsAFailure() {
        assertThatThrownBy(() -> unmarked().freeSpace()).isInstanceOf(IOException.class);
    }
}
