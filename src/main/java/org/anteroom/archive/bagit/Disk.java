package org.anteroom.archive.bagit;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** What is asked of the disk that has the bags; not final, since tests count what is read. */
class Disk {

    /** The path without links; all of it must be there. */
    Path real(Path path) throws IOException {
        return path.toRealPath();
    }

    /** What is at a path; a link itself, if it is one. */
    FileState state(Path path) throws IOException {
        return FileState.of(path);
    }

    /** What lies in a folder; to be closed. */
    @SuppressWarnings("StreamResourceLeak") // it is the caller's
    DirectoryStream<Path> entries(Path folder) throws IOException {
        return Files.newDirectoryStream(folder);
    }

    /** A file's bytes; to be closed. */
    ByteSource open(Path file) throws IOException {
        FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
        return new ByteSource() {
            @Override
            public int read(ByteBuffer target, long position) throws IOException {
                return channel.read(target, position);
            }

            @Override
            public long size() throws IOException {
                return channel.size();
            }

            @Override
            public void close() throws IOException {
                channel.close();
            }
        };
    }
}
