package org.anteroom.http;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The end of an asynchronous exchange: learns it from the container, and tells the transfer that is under way.
 *
 * <p>The container may end an exchange at any time, because it stops or the connection is lost, while another thread is
 * about to begin a transfer. Either that thread sees it, or the container's sees the transfer; so each transfer is told.
 */
final class EndOfExchange implements AsyncListener {
    private final AsyncContext async;
    private volatile boolean over;
    private volatile @Nullable Transfer transfer;

    /** The end of an exchange that has just become asynchronous. */
    EndOfExchange(AsyncContext async) {
        this.async = async;
        // stalls and waits are timed here; a container's timeout counts the whole exchange
        async.setTimeout(0);
        async.addListener(this);
    }

    /** What is to be completed. */
    AsyncContext async() {
        return async;
    }

    /** Whether a step that comes now has nothing to answer any more. */
    boolean isOver() {
        return over;
    }

    /** Whether the answer is written in the container's callbacks. */
    boolean listening() {
        Transfer mine = transfer;
        return mine != null && mine.listening();
    }

    /** To be called before a transfer is started: it is told of the end, at once if that has come. */
    void begins(Transfer begun) {
        transfer = begun;
        if (over) {
            begun.onError(new IOException("the container has ended the exchange"));
        }
    }

    /** Ends the exchange. */
    void complete() {
        try {
            async.complete();
        } catch (IllegalStateException e) {
            // the container has ended the exchange already, after an error of its own
        }
    }

    /** Whoever has ended it. */
    @Override
    public void onComplete(AsyncEvent event) {
        over = true;
    }

    /** There is no timeout but the one that Tomcat makes when it stops. */
    @Override
    public void onTimeout(AsyncEvent event) {
        endedByContainer(new IOException("the container stops"));
    }

    @Override
    public void onError(AsyncEvent event) {
        @Nullable Throwable cause = event.getThrowable();
        endedByContainer(cause == null ? new IOException("the container ended the exchange") : cause);
    }

    /** The response is not touched any more, but completed, which is all that the container allows now. */
    private void endedByContainer(Throwable cause) {
        over = true;
        Transfer mine = transfer;
        if (mine == null) {
            complete();
        } else {
            mine.onError(cause);
        }
    }

    @Override
    public void onStartAsync(AsyncEvent event) {}
}
