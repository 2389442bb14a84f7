package org.anteroom.archive;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import org.anteroom.model.FileFacts;
import org.anteroom.model.FileKey;

/**
 * An archive whose calls each wait until as many run at once as may, or as there are clients left: so whoever lets fewer in
 * comes to a standstill. A latency without a clock.
 */
final class FullHouse implements Archive {
    private final int concurrency;
    private int clients;
    private int inside;
    private int most;
    private long round;

    FullHouse(int concurrency, int clients) {
        this.concurrency = concurrency;
        this.clients = clients;
    }

    /** A client asks no more. */
    synchronized void leave() {
        clients--;
        next();
    }

    /** The most calls at once. */
    synchronized int most() {
        return most;
    }

    private void next() {
        if (inside > 0 && inside >= Math.min(concurrency, clients)) {
            inside = 0;
            round++;
            notifyAll();
        }
    }

    private synchronized void enter() throws IOException {
        inside++;
        most = Math.max(most, inside);
        long mine = round;
        next();
        while (round == mine) {
            try {
                wait();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted while waiting for others");
            }
        }
    }

    @Override
    public FileFacts head(FileKey key) throws IOException {
        enter();
        return new FileFacts(10, null, "\"ten\"", null, null);
    }

    @Override
    public ArchiveStream open(FileKey key, FileFacts expected, long offset) throws IOException {
        enter();
        return new ArchiveStream() {
            @Override
            public int read(ByteBuffer target) {
                target.put(new byte[10]);
                return 10;
            }

            @Override
            public void close() {}
        };
    }

    @Override
    public void probe() {}
}
