package org.anteroom.archive.bagit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.anteroom.model.Sha256;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The folder that keeps the indexes of bags. When they take more than they may, those go first that were not used for the
 * longest time.
 *
 * <p>An index is named for its bag's identity, so that a bag that has changed has another one; the old one is not used any
 * more, and goes when there is no room for it.
 */
final class IndexFolder {
    private static final Logger log = LoggerFactory.getLogger(IndexFolder.class);

    private static final String INDEX = ".idx";
    private static final String TEMPORARY = ".tmp";
    /** What a process that was killed has left is older than what one that runs is writing. */
    private static final Duration LONGEST_BUILD = Duration.ofDays(1);

    private final Path folder;
    private final long mostBytes;
    private final InstantSource clock;
    /** Unknown until the folder was read. */
    private final AtomicLong bytes = new AtomicLong(Long.MAX_VALUE);

    private final AtomicBoolean trimming = new AtomicBoolean();

    /** A folder that is made when it is needed. */
    IndexFolder(Path folder, long mostBytes, InstantSource clock) {
        this.folder = folder;
        this.mostBytes = mostBytes;
        this.clock = clock;
    }

    /** Where the index of a bag lies, if there is one. */
    Path file(Bag bag) {
        return folder.resolve(Sha256.of(bag.identity().getBytes(UTF_8)).hex() + INDEX);
    }

    /** A name that no file has yet, in the folder, which exists then. */
    Path temporary() throws IOException {
        if (!Files.isDirectory(folder)) {
            // not otherwise: it would refuse a link to a folder
            Files.createDirectories(folder);
        }
        return folder.resolve(UUID.randomUUID() + TEMPORARY);
    }

    /** Gives a complete index its name. */
    void keep(Path temporary, Bag bag) throws IOException {
        long size = Files.size(temporary);
        Files.move(temporary, file(bag), StandardCopyOption.ATOMIC_MOVE);
        if (bytes.get() == Long.MAX_VALUE || bytes.addAndGet(size) > mostBytes) {
            trim();
        }
    }

    /** Notes that an index is used. */
    void touch(Path file) {
        try {
            Files.setLastModifiedTime(file, FileTime.from(clock.instant()));
        } catch (IOException e) {
            log.debug("The index {} cannot be marked as used", file, e);
        }
    }

    void delete(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            log.warn("The index {} cannot be deleted: {}", file, e.toString());
        }
    }

    /** A file as it is weighed for removal. */
    private record Kept(Path path, long size, FileTime used) {}

    private void trim() throws IOException {
        if (!trimming.compareAndSet(false, true)) {
            return;
        }
        try {
            List<Kept> all = read();
            all.sort(Comparator.comparing(Kept::used));
            long sum = all.stream().mapToLong(Kept::size).sum();
            for (Kept kept : all) {
                if (sum <= mostBytes) {
                    break;
                }
                Files.deleteIfExists(kept.path);
                sum -= kept.size;
            }
            bytes.set(sum);
        } finally {
            trimming.set(false);
        }
    }

    private List<Kept> read() throws IOException {
        List<Kept> all = new ArrayList<>();
        FileTime dead = FileTime.from(clock.instant().minus(LONGEST_BUILD));
        try (DirectoryStream<Path> paths = Files.newDirectoryStream(folder)) {
            for (Path path : paths) {
                String name = path.getFileName().toString();
                try {
                    FileTime used = Files.getLastModifiedTime(path);
                    if (name.endsWith(INDEX)) {
                        all.add(new Kept(path, Files.size(path), used));
                    } else if (name.endsWith(TEMPORARY) && used.compareTo(dead) < 0) {
                        Files.deleteIfExists(path);
                    }
                } catch (NoSuchFileException e) {
                    log.debug("{} has gone meanwhile", path);
                }
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return all;
    }
}
