package org.anteroom.volume.fs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.anteroom.volume.CopyReader;
import org.anteroom.volume.CopyWriter;
import org.anteroom.volume.LocalReader;

/** A copy that is being written to {@code tmp/}, and moved to its name when it is whole. */
final class FileWriter implements CopyWriter {
    private final String volume;
    private final String copy;
    private final Path temporary;
    private final Path place;
    private final Folders folders;
    private final FileChannel channel;
    private final AtomicLong written = new AtomicLong();
    private boolean moved;
    private boolean committed;

    FileWriter(String volume, String copy, Path temporary, Folders folders) throws IOException {
        this.volume = volume;
        this.copy = copy;
        this.temporary = temporary;
        this.place = folders.of(copy);
        this.folders = folders;
        Files.deleteIfExists(temporary);
        this.channel = FileChannel.open(
                temporary, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
    }

    @Override
    public void write(ByteBuffer source) throws IOException {
        while (source.hasRemaining()) {
            int count = channel.write(source);
            written.addAndGet(count);
        }
    }

    @Override
    public void sync() throws IOException {
        channel.force(false);
    }

    @Override
    public long written() {
        return written.get();
    }

    @Override
    public CopyReader openWritten() throws IOException {
        return new LocalReader(volume, copy, List.of(temporary, place));
    }

    @Override
    public void commit() throws IOException {
        if (!channel.isOpen()) {
            throw new ClosedChannelException();
        }
        channel.force(true);
        List<Path> parents = folders.make(copy);
        Files.move(temporary, place, StandardCopyOption.ATOMIC_MOVE);
        moved = true;
        Folders.sync(folders.holding(copy));
        for (Path parent : parents) {
            Folders.sync(parent);
        }
        folders.synced(copy);
        committed = true;
    }

    @Override
    public void close() throws IOException {
        try (channel) {
            if (!committed) {
                // a commit that failed may have got as far as the move
                Files.deleteIfExists(moved ? place : temporary);
            }
        }
    }
}
