package org.anteroom.http;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One response body on its way: bytes from a {@link Body} to the client, without holding a thread for a client that is
 * slow or for bytes that are not there yet.
 *
 * <p>The protocol. {@link #drain} may be called by the container (the client can take more), by whoever made bytes
 * available, and by {@link #start}; calls that overlap are counted and one thread works them off, so that the body and
 * the output are touched by one thread at a time. Nothing is written and no header is set before the first bytes are
 * there ("primed"), so that a failure up to then is an honest error answer. The transfer is complete only when the
 * container says that it can take more after the last byte: completing earlier would make it flush while holding a
 * thread.
 *
 * <p>A body that fails is replaced by the next one at the same offset. If there is none, or the archive itself is to
 * blame, the transfer is broken, never ended early as if it were whole.
 */
final class Transfer implements WriteListener, StallWatch.Client {

    /** What a transfer asks of its request's way. */
    interface Source {
        /** Sets status and headers; called once, just before the first byte. */
        void commit() throws IOException;

        /**
         * Another body that can read at the position, after one failed.
         *
         * @param failed the body that failed, already closed
         * @throws IOException if there is none: the failure to report
         */
        Body next(Body failed, long position, IOException cause) throws IOException;

        /** Answers with an error, since nothing has been sent; also completes the exchange. */
        void refuse(IOException cause);

        /** Breaks the connection or stream, since something has been sent. */
        void sever(IOException cause);

        /** The client's connection, if its progress can be told from that; asked once the client is waited for. */
        default @Nullable TcpConnection connection() {
            return null;
        }

        /** The transfer is over: called once, whatever its end. */
        void ended(Transfer transfer, End how, long sent, @Nullable Throwable cause);
    }

    /** How a transfer ended. */
    enum End {
        /** All bytes were handed to the container. */
        COMPLETED,
        /** The client went away. */
        ABORTED,
        /** The client took nothing for longer than the stall timeout. */
        STALLED,
        /** An error was answered, or the transfer broken, because the bytes could not be had. */
        FAILED
    }

    private static final Logger log = LoggerFactory.getLogger(Transfer.class);

    /** Bytes after which another one on the same way has its turn. */
    private static final int TURN = 256 * 1024;

    private final AsyncContext async;
    private final ServletOutputStream output;
    private final Source source;
    private final TransferWay way;
    private final long first;

    private final AtomicInteger work = new AtomicInteger();
    private final AtomicBoolean over = new AtomicBoolean();

    /** Position after the last byte; Long.MAX_VALUE while nobody knows it. */
    private long end;

    private Body body;
    private byte @Nullable [] buffer;
    private int primed = -1;
    private volatile boolean listening;
    private boolean flushed;
    /** Whether something was written since the container last said that it is ready. */
    private boolean writing;
    /** Whether nothing is held any more. */
    private boolean away;

    /** Written only by the thread at work; others read it for the log. */
    private volatile long position;

    /** Since when the client is waited for (System.nanoTime); 0 while it is not. */
    private volatile long waitingSince;

    /** Whether it is to go on as soon as its turn comes: then the client waits for us. */
    private volatile boolean woken;

    private volatile @Nullable TcpConnection connection;

    /** The thread at work. */
    private volatile @Nullable Thread worker;

    /** The thread in the container's callback, and what that callback is to throw. */
    private volatile @Nullable Thread callback;

    private volatile @Nullable IOException broken;
    private volatile @Nullable Throwable clientGone;
    private volatile @Nullable IOException aborted;

    /**
     * A transfer of the bytes from {@code first} to before {@code end}; at least one.
     *
     * @param end Long.MAX_VALUE for all that there is, where the length is not known
     */
    Transfer(
            AsyncContext async,
            ServletOutputStream output,
            Source source,
            Body body,
            long first,
            long end,
            TransferWay way) {
        this.async = async;
        this.output = output;
        this.source = source;
        this.body = body;
        this.first = first;
        this.end = end;
        this.position = first;
        this.way = way;
    }

    /** Begins with a body whose bytes are there: the first write follows the container's callback. */
    void startReady() {
        primed = 0;
        drain();
    }

    /** Whether the answer is written in the container's callbacks from now on. */
    boolean listening() {
        return listening;
    }

    /** Begins with a body that may have to be waited for. */
    void start() {
        drain();
    }

    @Override
    public void onWritePossible() throws IOException {
        if (way.apart()) {
            wake();
            return;
        }
        callback = Thread.currentThread();
        try {
            drain();
        } finally {
            callback = null;
        }
        IOException cause = broken;
        if (cause != null) {
            broken = null;
            throw cause;
        }
    }

    /**
     * What is written to is the container's again when this returns, so whoever writes is waited for; but not for long: a
     * write on HTTP/2 that waits for the client may not learn that it has left.
     */
    @Override
    public void onError(Throwable cause) {
        boolean told = clientGone != null;
        clientGone = cause;
        drain();
        if (!told
                && !Rest.await(() -> work.get() == 0 || worker == Thread.currentThread())
                && finish(End.ABORTED, cause)) {
            complete();
        }
    }

    @Override
    public long waitingSince() {
        return woken ? 0 : waitingSince;
    }

    @Override
    public @Nullable TcpConnection connection() {
        return connection;
    }

    /** Ends the transfer if its client has taken nothing since before that time (System.nanoTime); whether it did. */
    boolean dropIfStalled(long before) {
        long since = waitingSince();
        if (since == 0 || since - before > 0 || !finish(End.STALLED, null)) {
            return false;
        }
        source.sever(new IOException("the client takes nothing"));
        return true;
    }

    /** Ends the transfer for our own sake: with an error answer before the first byte, by breaking it after. */
    void abort(IOException cause) {
        aborted = cause;
        drain();
    }

    /** Goes on, or begins, on the executor. */
    void wake() {
        woken = true;
        try {
            way.executor().execute(this::drain);
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            abort(new FailureException(
                    FailureReason.OVERLOADED, "Too many transfers wait for a thread; try again in a moment.", e));
        }
    }

    private void drain() {
        if (work.getAndIncrement() != 0) {
            return;
        }
        int seen = 1;
        do {
            worker = Thread.currentThread();
            try {
                if (over.get()) {
                    putAway();
                } else {
                    step();
                }
            } catch (RuntimeException | Error e) {
                // calls are counted down in any case, or no later one would put away what is held
                crashed(e);
            }
            // before others may see that nobody is at work
            worker = null;
            seen = work.addAndGet(-seen);
        } while (seen != 0);
    }

    /** Lets go of what is held, the way too: only when nobody is at work, another of the connection may be. */
    private void putAway() {
        if (away) {
            return;
        }
        away = true;
        try {
            giveBuffer();
            way.left().run();
        } finally {
            body.close();
        }
    }

    /** A step failed while it dealt with a failure. */
    private void crashed(Throwable fault) {
        try {
            log.error("A transfer failed in its end", fault);
            if (finish(End.FAILED, fault)) {
                source.sever(new IOException(fault));
            }
        } catch (RuntimeException | Error e) {
            // nothing more can be told or done; the container ends the exchange when its connection does
        }
    }

    private void step() {
        woken = false;
        Throwable gone = clientGone;
        if (gone != null) {
            if (finish(End.ABORTED, gone)) {
                complete();
            }
            return;
        }
        IOException abort = aborted;
        if (abort != null) {
            fail(abort);
            return;
        }
        try {
            if (primed < 0 && !prime()) {
                return;
            }
            if (listening) {
                pump();
            } else {
                source.commit();
                listening = true;
                // the container calls onWritePossible from now on
                output.setWriteListener(this);
            }
        } catch (ClientGoneException e) {
            if (finish(End.ABORTED, e.cause())) {
                // outside its callback the container learned of it when the write failed; nobody is left to be told
                // more
                if (callback == Thread.currentThread()) {
                    broken = e.cause();
                } else {
                    complete();
                }
            }
        } catch (IOException e) {
            fail(e);
        } catch (RuntimeException | Error e) {
            Throwable left = clientGone;
            if (left == null) {
                fail(new IOException(e));
            } else if (finish(End.ABORTED, left)) {
                // the container has taken back what was written to
                complete();
            }
        }
    }

    /** Gets the first bytes into the buffer; false while they are not there. */
    private boolean prime() throws IOException {
        byte[] bytes = buffer();
        int n = fetch(bytes);
        if (n > 0) {
            primed = n;
        }
        if (end == position) {
            primed = 0;
        }
        return primed >= 0;
    }

    private void pump() throws IOException {
        waitingSince = 0;
        long turn = way.apart() ? position + TURN : Long.MAX_VALUE;
        while (clientGone == null && output.isReady()) {
            writing = false;
            if (position == end) {
                if (way.apart() && !flushed) {
                    // what is left would be sent when the exchange is completed, by a thread that waits for the client
                    flushed = true;
                    flush();
                    continue;
                }
                if (finish(End.COMPLETED, null)) {
                    complete();
                }
                return;
            }
            if (position >= turn) {
                wake();
                return;
            }
            byte[] bytes = buffer();
            int n = primed > 0 ? primed : fetch(bytes);
            primed = 0;
            if (n > 0) {
                write(bytes, n);
                long next = position + n;
                position = next;
            } else if (position != end) {
                giveBuffer();
                return;
            }
        }
        if (primed == 0 && Container.copiesWrites(output)) {
            // a slow client holds no buffer of ours, unless what it waits for is in it
            giveBuffer();
        }
        if (connection == null) {
            connection = source.connection();
        }
        waitingSince = Math.max(1, System.nanoTime());
    }

    private void flush() throws ClientGoneException {
        try {
            output.flush();
        } catch (IOException e) {
            throw new ClientGoneException(e);
        }
    }

    private void write(byte[] bytes, int n) throws ClientGoneException {
        writing = true;
        try {
            output.write(bytes, 0, n);
        } catch (IOException e) {
            throw new ClientGoneException(e);
        }
    }

    /** Reads at the position, from the next body if need be; 0 if there is nothing yet and a wake-up is on its way. */
    private int fetch(byte[] bytes) throws IOException {
        while (true) {
            ByteBuffer target = ByteBuffer.wrap(bytes, 0, (int) Math.min(bytes.length, end - position));
            try {
                int n = body.read(target, position);
                if (n > 0) {
                    return n;
                }
                if (n < 0 && end == Long.MAX_VALUE) {
                    end = position;
                    return 0;
                }
                if (n < 0) {
                    throw new EOFException("the body ends at " + position + ", before " + end);
                }
                if (body.await(position, this::wake)) {
                    return 0;
                }
            } catch (FailureException e) {
                throw e;
            } catch (IOException e) {
                Body failed = body;
                failed.close();
                body = source.next(failed, position, e);
            }
        }
    }

    private void fail(IOException cause) {
        if (!finish(End.FAILED, cause)) {
            return;
        }
        if (position > first) {
            breakOff(cause);
            return;
        }
        try {
            source.refuse(cause);
        } catch (RuntimeException | Error e) {
            log.error("An error could not be answered", e);
            breakOff(cause);
        }
    }

    /** Has the container close the connection: Tomcat does so by itself when its callback throws. */
    private void breakOff(IOException cause) {
        if (callback == Thread.currentThread() && Container.breaksOffWhatThrows(output)) {
            broken = cause;
        } else {
            source.sever(cause);
        }
    }

    /** Decides how the transfer ends, once; what it holds is put away by the thread that is at work, or by this one. */
    private boolean finish(End how, @Nullable Throwable cause) {
        if (!over.compareAndSet(false, true)) {
            return false;
        }
        try {
            source.ended(this, how, position - first, cause);
        } catch (RuntimeException | Error e) {
            log.error("The end of a transfer was not noted", e);
        } finally {
            drain();
        }
        return true;
    }

    private void complete() {
        try {
            async.complete();
        } catch (IllegalStateException e) {
            // the container has ended the exchange already, after an error of its own
        }
    }

    private byte[] buffer() {
        byte[] bytes = buffer;
        if (bytes == null) {
            bytes = way.buffers().take();
            buffer = bytes;
        }
        return bytes;
    }

    private void giveBuffer() {
        byte[] bytes = buffer;
        if (bytes != null) {
            buffer = null;
            // one that the container may still write from is left to it: nobody else's bytes may come into it
            if (!writing || Container.copiesWrites(output)) {
                way.buffers().give(bytes);
            }
        }
    }
}
