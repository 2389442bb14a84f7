package org.anteroom.volume.s3;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one boot has in the spool: a folder with a file that is locked for as long as the boot lives.
 *
 * <p>Who removes a dead one holds its lock, so that it cannot come to life meanwhile; who makes one looks, once it has the
 * lock, whether the folder is still there.
 */
final class SpoolFolder implements Closeable {
    private static final Logger log = LoggerFactory.getLogger(SpoolFolder.class);
    private static final String LOCK = "lock";

    /** What tells boots in one process of each other: a lock on a file is lost when any of them closes that file. */
    private static final String ALIVE = "anteroom.spool.";

    private final Path path;
    private final FileChannel lock;

    private SpoolFolder(Path path, FileChannel lock) {
        this.path = path;
        this.lock = lock;
    }

    /** A new one. */
    static SpoolFolder make(Path spool) throws IOException {
        Path path = spool.resolve(UUID.randomUUID().toString());
        System.setProperty(property(path), "alive");
        try {
            Files.createDirectory(path);
            FileChannel channel =
                    FileChannel.open(path.resolve(LOCK), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            if (channel.tryLock() == null || !Files.exists(path.resolve(LOCK))) {
                channel.close();
                throw new IOException("the spool's folder was taken for a dead one");
            }
            return new SpoolFolder(path, channel);
        } catch (IOException e) {
            System.clearProperty(property(path));
            throw e;
        }
    }

    Path path() {
        return path;
    }

    /** Removes those of boots that have ended otherwise than by {@link #close()}. */
    static void removeDead(Path spool) throws IOException {
        try (DirectoryStream<Path> boots = Files.newDirectoryStream(spool)) {
            for (Path other : boots) {
                if (Files.isRegularFile(other.resolve(LOCK)) && System.getProperty(property(other)) == null) {
                    removeIfDead(other);
                }
            }
        }
    }

    private static void removeIfDead(Path other) throws IOException {
        try (FileChannel channel = FileChannel.open(other.resolve(LOCK), StandardOpenOption.WRITE);
                FileLock taken = channel.tryLock()) {
            if (taken != null) {
                log.info("Removing what an earlier boot left in the spool: {}", other.getFileName());
                remove(other);
            }
        } catch (OverlappingFileLockException e) {
            log.debug("Another spool of this process is removing {}", other.getFileName());
        } catch (NoSuchFileException e) {
            log.debug("Another boot was first to remove {}", other.getFileName());
        }
    }

    private static String property(Path path) {
        return ALIVE + path.getFileName();
    }

    /** Removes a folder, its lock last, so that what is left of a removal that fails is removed the next time. */
    private static void remove(Path path) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(path)) {
            for (Path file : files) {
                if (!file.endsWith(LOCK)) {
                    Files.deleteIfExists(file);
                }
            }
        }
        Files.deleteIfExists(path.resolve(LOCK));
        Files.deleteIfExists(path);
    }

    /** Removes it. */
    @Override
    public void close() throws IOException {
        try (lock) {
            remove(path);
        } finally {
            System.clearProperty(property(path));
        }
    }
}
