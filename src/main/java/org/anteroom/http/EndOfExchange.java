package org.anteroom.http;

import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Tells an exchange that its container has ended it. */
final class EndOfExchange implements AsyncListener {
    private final Exchange exchange;

    EndOfExchange(Exchange exchange) {
        this.exchange = exchange;
    }

    @Override
    public void onComplete(AsyncEvent event) {
        exchange.completed();
    }

    /** There is no timeout but the one that Tomcat makes when it stops. */
    @Override
    public void onTimeout(AsyncEvent event) {
        exchange.endedByContainer(new IOException("the container stops"));
    }

    @Override
    public void onError(AsyncEvent event) {
        @Nullable Throwable cause = event.getThrowable();
        exchange.endedByContainer(cause == null ? new IOException("the container ended the exchange") : cause);
    }

    @Override
    public void onStartAsync(AsyncEvent event) {}
}
