package org.anteroom.volume.fs;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.anteroom.volume.CopyReader;
import org.anteroom.volume.CopyWriter;
import org.anteroom.volume.LocalReader;
import org.anteroom.volume.Volume;

/**
 * A directory of a file system that holds copies.
 *
 * <pre>
 * LOCATION/.anteroom-volume     the identity marker: one line
 * LOCATION/copies/ab/cd/abcd…   copies, under the first digits of their names
 * LOCATION/tmp/FILL.EPOCH       copies that are being made
 * </pre>
 *
 * <p>{@code tmp} and {@code copies} are made with the marker and never again: where a disk is not mounted, nothing is
 * written into the empty folder below.
 */
public final class FilesystemVolume implements Volume {
    private static final String MARKER = ".anteroom-volume";
    private static final String NEW_MARKER = ".anteroom-volume.new-";
    private static final int LONGEST_MARKER = 200;
    private static final Pattern TEMPORARY = Pattern.compile("\\d{1,19}\\.\\d{1,19}");
    private static final Pattern COPY = Pattern.compile("[0-9a-f]{32}");
    private static final Pattern FAN_OUT = Pattern.compile("[0-9a-f]{2}");
    /** What may lie in a place that becomes a volume: what mkfs puts there, and what a broken-off first use leaves. */
    private static final Set<String> HARMLESS = Set.of("lost+found", "tmp", "copies");

    private final String name;
    private final Path location;
    private final Path copies;
    private final Path temporaries;
    private final Folders folders;

    /** A volume at a place that may not exist yet; nothing is touched. */
    public FilesystemVolume(String name, Path location) {
        this.name = name;
        this.location = location;
        this.copies = location.resolve("copies");
        this.temporaries = location.resolve("tmp");
        this.folders = new Folders(copies);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public CopyReader open(String copy) throws IOException {
        return new LocalReader(name, copy, List.of(place(copy)));
    }

    @Override
    public CopyWriter create(String temporary, String copy) throws IOException {
        place(copy);
        return new FileWriter(name, copy, temporary(temporary), folders);
    }

    @Override
    public boolean delete(String copy) throws IOException {
        return Files.deleteIfExists(place(copy));
    }

    @Override
    public Optional<String> readMarker() throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(LONGEST_MARKER);
        try (FileChannel channel = FileChannel.open(location.resolve(MARKER), StandardOpenOption.READ)) {
            while (channel.read(bytes) > 0) {
                // until the end, or as much as a marker may have
            }
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
        String marker = UTF_8.decode(bytes.flip()).toString().strip();
        if (marker.isEmpty()) {
            throw new IOException("the identity marker is empty");
        }
        return Optional.of(marker);
    }

    @Override
    public void writeMarker(String marker) throws IOException {
        if (marker.isBlank()
                || marker.length() > LONGEST_MARKER / 2
                || marker.lines().count() != 1) {
            throw new IllegalArgumentException("a marker is one short line: " + marker);
        }
        if (!Files.isDirectory(location)) {
            // not otherwise: it would refuse a link to a folder
            Files.createDirectories(location);
        }
        requireUnused();
        Files.createDirectories(temporaries);
        Files.createDirectories(copies);
        Path fresh = location.resolve(NEW_MARKER + UUID.randomUUID());
        Path place = location.resolve(MARKER);
        try {
            writeSynced(fresh, marker + "\n");
            name(fresh, place);
        } finally {
            Files.deleteIfExists(fresh);
        }
        Folders.sync(location);
    }

    private static void writeSynced(Path file, String text) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            ByteBuffer bytes = UTF_8.encode(text);
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
        }
    }

    /** Gives a file its name; a link never replaces what another instance has put there meanwhile. */
    private static void name(Path fresh, Path place) throws IOException {
        try {
            Files.createLink(place, fresh);
        } catch (FileAlreadyExistsException e) {
            throw e;
        } catch (UnsupportedOperationException | FileSystemException e) {
            // a file system without links
            if (Files.exists(place)) {
                throw new FileAlreadyExistsException(place.toString());
            }
            Files.move(fresh, place, StandardCopyOption.ATOMIC_MOVE);
        }
    }

    private void requireUnused() throws IOException {
        for (String entry : names(location, entry -> true)) {
            if (entry.equals(MARKER)) {
                throw new FileAlreadyExistsException(location.resolve(MARKER).toString());
            }
            if (!HARMLESS.contains(entry) && !entry.startsWith(NEW_MARKER)) {
                throw new IOException("the folder has no identity marker and is not empty");
            }
        }
        for (Path folder : List.of(copies, temporaries)) {
            if (Files.exists(folder) && !names(folder, entry -> true).isEmpty()) {
                throw new IOException("the folder holds copies but no identity marker");
            }
        }
    }

    @Override
    public List<String> temporaries() throws IOException {
        return List.copyOf(names(temporaries, entry -> matches(TEMPORARY, entry)));
    }

    @Override
    public boolean deleteTemporary(String temporary) throws IOException {
        return Files.deleteIfExists(temporary(temporary));
    }

    @Override
    public List<String> list(String after, int limit) throws IOException {
        List<String> found = new ArrayList<>();
        for (String upper : fanOut(copies, head(after, 0, 2))) {
            Path upperFolder = copies.resolve(upper);
            boolean onFirst = after.startsWith(upper);
            for (String lower : fanOut(upperFolder, onFirst ? head(after, 2, 4) : "")) {
                Set<String> names = names(
                        upperFolder.resolve(lower),
                        entry -> matches(COPY, entry) && entry.startsWith(upper + lower) && entry.compareTo(after) > 0);
                for (String copy : names) {
                    if (found.size() == limit) {
                        return found;
                    }
                    found.add(copy);
                }
            }
            if (found.size() == limit) {
                return found;
            }
        }
        return found;
    }

    private static Set<String> fanOut(Path folder, String from) throws IOException {
        return names(folder, entry -> matches(FAN_OUT, entry) && entry.compareTo(from) >= 0);
    }

    private static String head(String text, int begin, int end) {
        return text.substring(Math.min(begin, text.length()), Math.min(end, text.length()));
    }

    /** The names in one folder in ascending order. */
    private static Set<String> names(Path folder, Predicate<String> wanted) throws IOException {
        Set<String> names = new TreeSet<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder)) {
            for (Path entry : entries) {
                String text = String.valueOf(entry.getFileName());
                if (wanted.test(text)) {
                    names.add(text);
                }
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return names;
    }

    @Override
    public long freeSpace() throws IOException {
        long free = location.toFile().getUsableSpace();
        if (free == 0 && !Files.isDirectory(location)) {
            throw new NoSuchFileException(location.toString());
        }
        // more than a long can say is told as a negative number
        return free < 0 ? Long.MAX_VALUE : free;
    }

    private Path place(String copy) {
        if (!matches(COPY, copy)) {
            throw new IllegalArgumentException("a copy's name has 32 lower-case hexadecimal digits: " + copy);
        }
        return folders.of(copy);
    }

    private Path temporary(String temporary) {
        if (!matches(TEMPORARY, temporary)) {
            throw new IllegalArgumentException("a temporary name is FILL.EPOCH: " + temporary);
        }
        return temporaries.resolve(temporary);
    }

    private static boolean matches(Pattern pattern, String text) {
        return pattern.matcher(text).matches();
    }
}
