package org.anteroom.volume;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What every kind of volume promises. */
public abstract class VolumeContract {
    protected static final String COPY = "0123456789abcdef0123456789abcdef";
    protected static final String MARKER = "6f1c2b7e-6d4c-4f0e-9d07-2f0f4b6a9a10";

    /** A volume that has its marker and holds nothing. */
    protected abstract Volume volume() throws IOException;

    /** A volume whose place is still without a marker. */
    protected abstract Volume unmarked() throws IOException;

    @Test
    void copyThatWasNeverMadeIsMissing() throws IOException {
        Volume volume = volume();
        assertThatThrownBy(() -> volume.open(COPY)).isInstanceOf(NoSuchCopyException.class);
        assertThat(volume.delete(COPY)).isFalse();
        assertThat(volume.list("", 10)).isEmpty();
        assertThat(volume.temporaries()).isEmpty();
    }

    @Test
    void copyExistsOnceItIsCommitted() throws IOException {
        Volume volume = volume();
        byte[] bytes = bytes(300_000);
        try (CopyWriter writer = volume.create("1.1", COPY)) {
            writer.write(ByteBuffer.wrap(bytes, 0, 100_000));
            writer.write(ByteBuffer.wrap(bytes, 100_000, 200_000));
            assertThat(writer.written()).isEqualTo(300_000);
            assertThatThrownBy(() -> volume.open(COPY)).isInstanceOf(NoSuchCopyException.class);
            assertThat(volume.list("", 10)).isEmpty();
            assertThat(volume.temporaries()).containsExactly("1.1");
            writer.commit();
        }
        assertThat(read(volume, COPY)).isEqualTo(bytes);
        assertThat(volume.list("", 10)).containsExactly(COPY);
        assertThat(volume.temporaries()).isEmpty();
    }

    @Test
    void copyOfNoBytes() throws IOException {
        Volume volume = volume();
        make(volume, COPY, new byte[0]);
        try (CopyReader reader = volume.open(COPY)) {
            assertThat(reader.size()).isZero();
            assertThat(reader.read(ByteBuffer.allocate(1), 0)).isEqualTo(-1);
        }
    }

    @Test
    void whatIsNotCommittedLeavesNothing() throws IOException {
        Volume volume = volume();
        try (CopyWriter writer = volume.create("1.1", COPY)) {
            writer.write(ByteBuffer.wrap(bytes(1000)));
        }
        assertThat(volume.temporaries()).isEmpty();
        assertThatThrownBy(() -> volume.open(COPY)).isInstanceOf(NoSuchCopyException.class);
    }

    @Test
    void readersFollowWhatIsWritten() throws IOException {
        Volume volume = volume();
        byte[] bytes = bytes(2000);
        try (CopyWriter writer = volume.create("1.1", COPY)) {
            writer.write(ByteBuffer.wrap(bytes, 0, 500));
            try (CopyReader follower = writer.openWritten()) {
                assertThat(follower.size()).isEqualTo(500);
                assertThat(follower.read(ByteBuffer.allocate(10), 500)).isEqualTo(-1);
                writer.write(ByteBuffer.wrap(bytes, 500, 1500));
                assertThat(bytes(follower, 500, 1500)).isEqualTo(slice(bytes, 500, 1500));
                writer.commit();
                assertThat(bytes(follower, 0, 2000)).isEqualTo(bytes);
            }
            try (CopyReader late = writer.openWritten()) {
                assertThat(bytes(late, 0, 2000)).isEqualTo(bytes);
            }
        }
    }

    @Test
    void leftoverOfTheSameTemporaryNameIsReplaced() throws IOException {
        Volume volume = volume();
        CopyWriter crashed = volume.create("1.1", COPY);
        crashed.write(ByteBuffer.wrap(bytes(5000)));
        try (CopyWriter writer = volume.create("1.1", COPY)) {
            writer.write(ByteBuffer.wrap("new".getBytes(UTF_8)));
            writer.commit();
        }
        crashed.close();
        assertThat(read(volume, COPY)).asString(UTF_8).isEqualTo("new");
    }

    @Test
    void temporariesCanBeRemoved() throws IOException {
        Volume volume = volume();
        try (CopyWriter writer = volume.create("12.3", COPY)) {
            writer.write(ByteBuffer.wrap(bytes(10)));
            assertThat(volume.deleteTemporary("12.3")).isTrue();
            assertThat(volume.deleteTemporary("12.3")).isFalse();
            assertThat(volume.temporaries()).isEmpty();
        }
    }

    @Test
    void deletedCopyIsMissing() throws IOException {
        Volume volume = volume();
        make(volume, COPY, bytes(10));
        assertThat(volume.delete(COPY)).isTrue();
        assertThat(volume.delete(COPY)).isFalse();
        assertThatThrownBy(() -> volume.open(COPY)).isInstanceOf(NoSuchCopyException.class);
    }

    @Test
    void namesAreListedInPagesInAscendingOrder() throws IOException {
        Volume volume = volume();
        Random random = new Random(7);
        List<String> names = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            // some share their first digits, as copies in one folder do
            String head = i % 4 == 0 ? "abcd" : String.format("%04x", random.nextInt(0x10000));
            String name = head + String.format("%028x", random.nextInt(Integer.MAX_VALUE));
            names.add(name);
            make(volume, name, bytes(1));
        }
        names.sort(null);
        List<String> listed = new ArrayList<>();
        List<String> page = volume.list("", 7);
        while (!page.isEmpty()) {
            assertThat(page).hasSizeLessThanOrEqualTo(7);
            listed.addAll(page);
            page = volume.list(page.get(page.size() - 1), 7);
        }
        assertThat(listed).isEqualTo(names);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "../../../../etc/passwd",
                "0123456789ABCDEF0123456789ABCDEF",
                "0123456789abcdef0123456789abcde",
                "0123456789abcdef0123456789abcde/",
                "..23456789abcdef0123456789abcdef"
            })
    void copiesHaveNoOtherNames(String name) throws IOException {
        Volume volume = volume();
        assertThatThrownBy(() -> volume.open(name)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> volume.delete(name)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> volume.create("1.1", name)).isInstanceOf(IllegalArgumentException.class);
        assertThat(volume.temporaries()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1", "1.", "../1.1", "1.1/x", "a.1", "-1.1"})
    void temporariesHaveNoOtherNames(String name) throws IOException {
        Volume volume = volume();
        assertThatThrownBy(() -> volume.create(name, COPY)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> volume.deleteTemporary(name)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void markerIsWrittenOnce() throws IOException {
        Volume volume = unmarked();
        assertThat(volume.readMarker()).isEmpty();
        volume.writeMarker(MARKER);
        assertThat(volume.readMarker()).contains(MARKER);
        assertThatThrownBy(() -> volume.writeMarker("another")).isInstanceOf(IOException.class);
        assertThat(volume.readMarker()).contains(MARKER);
    }

    @Test
    void markerGoesToOneOfThoseWhoWriteAtOnce() throws Exception {
        Volume volume = unmarked();
        List<Callable<Boolean>> writers = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            String marker = "marker-" + i;
            writers.add(() -> {
                try {
                    volume.writeMarker(marker);
                    return volume.readMarker().orElseThrow().equals(marker);
                } catch (IOException e) {
                    return false;
                }
            });
        }
        assertThat(together(writers).stream().filter(won -> won)).hasSize(1);
        assertThat(volume.readMarker()).isPresent();
    }

    @Test
    void severalThreadsShareOneReader() throws Exception {
        Volume volume = volume();
        byte[] bytes = bytes(1 << 20);
        make(volume, COPY, bytes);
        try (CopyReader reader = volume.open(COPY)) {
            List<Callable<byte[]>> readers = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                int from = i * 1000;
                readers.add(() -> bytes(reader, from, bytes.length - from));
            }
            List<byte[]> results = together(readers);
            for (int i = 0; i < results.size(); i++) {
                assertThat(results.get(i)).isEqualTo(slice(bytes, i * 1000, bytes.length - i * 1000));
            }
        }
    }

    @Test
    void tellsHowMuchIsFree() throws IOException {
        assertThat(volume().freeSpace()).isPositive();
    }

    protected static <T> List<T> together(List<Callable<T>> calls) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(calls.size());
        try {
            List<T> results = new ArrayList<>();
            for (Future<T> future : threads.invokeAll(calls)) {
                results.add(future.get());
            }
            return results;
        } finally {
            threads.shutdown();
        }
    }

    protected static void make(Volume volume, String copy, byte[] bytes) throws IOException {
        try (CopyWriter writer = volume.create("7.1", copy)) {
            writer.write(ByteBuffer.wrap(bytes));
            writer.commit();
        }
    }

    protected static byte[] read(Volume volume, String copy) throws IOException {
        try (CopyReader reader = volume.open(copy)) {
            return bytes(reader, 0, (int) reader.size());
        }
    }

    protected static byte[] bytes(CopyReader reader, long from, int length) throws IOException {
        ByteBuffer all = ByteBuffer.allocate(length);
        while (all.hasRemaining()) {
            int count = reader.read(all, from + all.position());
            assertThat(count).isPositive();
        }
        return all.array();
    }

    protected static byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    private static byte[] slice(byte[] bytes, int from, int length) {
        return java.util.Arrays.copyOfRange(bytes, from, from + length);
    }
}
