package org.anteroom.archive;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;
import org.anteroom.model.FileFacts;
import org.anteroom.model.FileKey;
import org.anteroom.model.FolderKey;
import org.anteroom.tasks.IoGuard;

/** The gate as an {@link Archive} for threads that may wait: bounded in number and in time like everything else. */
final class BlockingArchive implements Archive {
    private final ArchiveGate gate;
    private final Supplier<Traffic> traffic;
    private final boolean reads;

    /**
     * A view of the gate.
     *
     * @param traffic for whom it asks at the moment
     * @param reads whether the files that are asked about will be read from their beginning
     */
    BlockingArchive(ArchiveGate gate, Supplier<Traffic> traffic, boolean reads) {
        this.gate = gate;
        this.traffic = traffic;
        this.reads = reads;
    }

    @Override
    public FileFacts head(FileKey key) throws IOException {
        if (traffic.get() == Traffic.BACKGROUND) {
            return await(gate.headInBackground(key, reads));
        }
        return await(reads ? gate.headToRead(key) : gate.head(key));
    }

    @Override
    public boolean canSeek(FileKey key, FileFacts facts) {
        return gate.canSeek(key, facts);
    }

    @Override
    public ArchiveStream open(FileKey key, FileFacts expected, long offset) throws IOException {
        GatedStream stream = gate.streamForFill(traffic, key, expected, offset);
        try {
            if (!stream.adopt()) {
                await(stream.open());
            }
        } catch (IOException e) {
            stream.close();
            throw e;
        }
        return new BlockingStream(stream);
    }

    @Override
    public FolderPage list(FolderKey folder, String after, int limit) throws IOException {
        return await(gate.list(folder, after, limit));
    }

    @Override
    public boolean verifies(FileFacts facts) {
        return gate.verifies(facts);
    }

    @Override
    public boolean hasVersions() {
        return gate.hasVersions();
    }

    @Override
    public String canonicalVersion(String text) {
        return gate.canonicalVersion(text);
    }

    @Override
    public Optional<String> newest(String dataset) throws IOException {
        return await(gate.newest(dataset));
    }

    @Override
    public void probe() throws IOException {
        await(gate.askWhetherThere());
    }

    private static <T> T await(CompletableFuture<T> answer) throws IOException {
        IoGuard.beforeIo();
        try {
            return answer.get();
        } catch (ExecutionException e) {
            throw ArchiveGate.failure(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for the archive");
        }
    }

    private static final class BlockingStream implements ArchiveStream {
        private final GatedStream stream;

        BlockingStream(GatedStream stream) {
            this.stream = stream;
        }

        @Override
        public int read(ByteBuffer target) throws IOException {
            int count = await(stream.fetch(target.remaining()));
            if (count > 0) {
                stream.take(target);
            }
            return count;
        }

        @Override
        public void close() {
            stream.close();
        }
    }
}
