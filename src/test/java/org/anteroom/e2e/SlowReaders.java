package org.anteroom.e2e;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Many clients that each have asked for a file over HTTP/1.1 and read it a little at a time, on one thread.
 *
 * <p>Their receive buffers are as small as the kernel lets them be, so that the server feels their pace.
 */
final class SlowReaders implements AutoCloseable {
    private static final int RECEIVE_BUFFER = 8 * 1024;
    private static final Duration TURN = Duration.ofMillis(10);

    private final List<Reader> readers = new ArrayList<>();
    private final ByteBuffer buffer;
    private final long interval;
    private final Thread thread = new Thread(this::readOn, "slow-readers");
    private volatile boolean stopping;

    private static final class Reader {
        private final SocketChannel channel;
        private volatile long received;
        private volatile boolean ended;
        private long due;

        Reader(SocketChannel channel, long due) {
            this.channel = channel;
            this.due = due;
        }
    }

    /** None yet; each will read so many bytes in each interval. */
    SlowReaders(int bytes, Duration interval) {
        this.buffer = ByteBuffer.allocate(bytes);
        this.interval = interval.toNanos();
    }

    /** Connects so many and sends their requests; before {@link #start}. */
    void connect(URI base, String target, int count) throws IOException {
        for (int i = 0; i < count; i++) {
            SocketChannel channel = SocketChannel.open();
            channel.setOption(StandardSocketOptions.SO_RCVBUF, RECEIVE_BUFFER);
            channel.connect(new InetSocketAddress(base.getHost(), base.getPort()));
            channel.write(ByteBuffer.wrap(
                    ("GET " + target + " HTTP/1.1\r\nHost: localhost\r\n\r\n").getBytes(StandardCharsets.US_ASCII)));
            channel.configureBlocking(false);
            // spread over the interval
            readers.add(new Reader(channel, System.nanoTime() + interval * i / count));
        }
    }

    /** Begins to read. */
    void start() {
        thread.start();
    }

    private void readOn() {
        while (!stopping) {
            long now = System.nanoTime();
            for (Reader reader : readers) {
                if (!reader.ended && now - reader.due >= 0) {
                    reader.due += interval;
                    read(reader);
                }
            }
            try {
                // the pace of the clients
                Thread.sleep(TURN.toMillis());
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private void read(Reader reader) {
        try {
            buffer.clear();
            int n = reader.channel.read(buffer);
            if (n < 0) {
                reader.ended = true;
            } else {
                long received = reader.received + n;
                reader.received = received;
            }
        } catch (IOException e) {
            reader.ended = true;
        }
    }

    /** How many have received more than so many bytes and are still connected. */
    long alive(long received) {
        return readers.stream()
                .filter(reader -> !reader.ended && reader.received > received)
                .count();
    }

    /** Bytes that all have received. */
    long received() {
        return readers.stream().mapToLong(reader -> reader.received).sum();
    }

    @Override
    public void close() throws IOException {
        stopping = true;
        thread.interrupt();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        for (Reader reader : readers) {
            reader.channel.close();
        }
    }
}
