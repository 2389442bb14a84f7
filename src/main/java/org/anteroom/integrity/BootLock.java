package org.anteroom.integrity;

import java.io.Closeable;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * The lock that the living boot of an instance has on its name: on a file beside the SQLite database, so that it ends
 * with the process however that ends.
 *
 * <p>The file stays: were it removed, a boot that has just opened it could lock what nobody else sees any more.
 */
public final class BootLock implements Closeable {
    private final String property;
    private final FileChannel channel;

    private BootLock(String property, FileChannel channel) {
        this.property = property;
        this.channel = channel;
    }

    /**
     * Takes the lock; held until it is closed.
     *
     * @param database the file of the database; its folder exists
     * @throws SecondBootException if another boot of that name has it, in this process or another one
     * @throws IOException if the file cannot be made or locked
     */
    public static BootLock take(Path database, String instance) throws IOException, SecondBootException {
        Path beside = database.toAbsolutePath();
        Path file = beside.resolveSibling(
                beside.getFileName() + "." + URLEncoder.encode(instance, StandardCharsets.UTF_8) + ".lock");
        // Two deployments in one process have nothing in common but the system properties. They must tell each other
        // before the file is opened: closing it again would release the lock of the other (see FileLock).
        String property = "anteroom.boot." + realFolder(file).resolve(file.getFileName());
        if (System.getProperties().putIfAbsent(property, "running") != null) {
            throw new SecondBootException(instance);
        }
        FileChannel channel = null;
        boolean taken = false;
        try {
            channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            taken = lock(channel) != null;
            if (!taken) {
                throw new SecondBootException(instance);
            }
            return new BootLock(property, channel);
        } finally {
            if (!taken) {
                close(property, channel);
            }
        }
    }

    private static Path realFolder(Path file) throws IOException {
        Path folder = file.getParent();
        if (folder == null) {
            throw new IOException("not the file of a database: " + file);
        }
        return folder.toRealPath();
    }

    private static @Nullable FileLock lock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException e) {
            return null;
        }
    }

    private static void close(String property, @Nullable FileChannel channel) throws IOException {
        try {
            if (channel != null) {
                channel.close();
            }
        } finally {
            System.clearProperty(property);
        }
    }

    /** Gives the name free. */
    @Override
    public void close() throws IOException {
        if (channel.isOpen()) {
            close(property, channel);
        }
    }
}
