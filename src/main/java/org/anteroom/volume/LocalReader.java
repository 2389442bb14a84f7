package org.anteroom.volume;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/**
 * An open file of the local disk that survives interrupts.
 *
 * <p>A FileChannel is closed when a thread that reads it is interrupted, for all who share it. The flag is therefore put
 * aside during a read; when an interrupt comes in between, the file is opened again: a copy's name is never used twice,
 * so that it can only be the same file, or gone.
 */
public final class LocalReader implements CopyReader {
    private final String volume;
    private final String copy;
    private final List<Path> places;
    private final long size;
    private final Object lock = new Object();
    private FileChannel channel;
    private boolean closed;

    /**
     * Opens a file.
     *
     * @param places where it may lie, in the order of its moves
     * @throws NoSuchCopyException if it is in none of them
     */
    public LocalReader(String volume, String copy, List<Path> places) throws IOException {
        this.volume = volume;
        this.copy = copy;
        this.places = places;
        this.channel = openFirst();
        try {
            this.size = channel.size();
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    private FileChannel openFirst() throws IOException {
        for (Path place : places) {
            try {
                return FileChannel.open(place, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
            } catch (NoSuchFileException e) {
                // perhaps in the next one
            }
        }
        throw new NoSuchCopyException(volume, copy);
    }

    @Override
    public long size() {
        return size;
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
        int start = target.position();
        boolean interrupted = Thread.interrupted();
        try {
            while (true) {
                FileChannel now = current();
                try {
                    return now.read(target, position);
                } catch (ClosedChannelException e) {
                    interrupted |= Thread.interrupted();
                    // the bytes may have come before the interrupt did
                    target.position(start);
                    replace(now);
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private FileChannel current() throws ClosedChannelException {
        synchronized (lock) {
            if (closed) {
                throw new ClosedChannelException();
            }
            return channel;
        }
    }

    /** Puts a freshly opened channel in the place of one that was closed by an interrupt. */
    private void replace(FileChannel broken) throws IOException {
        synchronized (lock) {
            if (closed || channel != broken) {
                return;
            }
        }
        FileChannel fresh = openFirst();
        FileChannel superfluous = fresh;
        synchronized (lock) {
            if (!closed && channel == broken) {
                channel = fresh;
                superfluous = null;
            }
        }
        if (superfluous != null) {
            superfluous.close();
        }
    }

    @Override
    public void close() throws IOException {
        FileChannel last;
        synchronized (lock) {
            closed = true;
            last = channel;
        }
        last.close();
    }
}
