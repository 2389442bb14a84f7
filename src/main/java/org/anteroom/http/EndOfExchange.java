package org.anteroom.http;

import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import java.io.IOException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Tells an exchange that its container has ended it. */
final class EndOfExchange implements AsyncListener {
    private final Runnable completed;
    private final Consumer<Throwable> ended;

    /**
     * A listener.
     *
     * @param completed called when the exchange is over, whoever has ended it
     * @param ended called before that when the container did, which stops or has lost the connection
     */
    EndOfExchange(Runnable completed, Consumer<Throwable> ended) {
        this.completed = completed;
        this.ended = ended;
    }

    @Override
    public void onComplete(AsyncEvent event) {
        completed.run();
    }

    /** There is no timeout but the one that Tomcat makes when it stops. */
    @Override
    public void onTimeout(AsyncEvent event) {
        ended.accept(new IOException("the container stops"));
    }

    @Override
    public void onError(AsyncEvent event) {
        @Nullable Throwable cause = event.getThrowable();
        ended.accept(cause == null ? new IOException("the container ended the exchange") : cause);
    }

    @Override
    public void onStartAsync(AsyncEvent event) {}
}
