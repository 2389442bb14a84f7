package org.anteroom.http;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.WriteListener;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An exchange without a container: what is written to it comes to the test, which says what the container says. */
final class FakeExchange implements AsyncContext, Transfer.Source, Body {
    /** What happened to it, in order. */
    final List<String> events = new ArrayList<>();

    private final Output output = new Output();
    private Runnable whenWritten = () -> {};

    /** A transfer of so many bytes. */
    Transfer transfer(int bytes, TransferWay way) {
        return new Transfer(this, output, this, this, 0, bytes, way);
    }

    /** What is done in the middle of each write. */
    void whenWritten(Runnable work) {
        whenWritten = work;
    }

    private final class Output extends ServletOutputStream {
        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public void setWriteListener(WriteListener listener) {
            events.add("listening");
        }

        @Override
        public void write(int b) {
            throw new UnsupportedOperationException("byte by byte");
        }

        @Override
        public void write(byte[] source, int offset, int length) {
            whenWritten.run();
            events.add("written " + length);
        }
    }

    // ---- the source

    @Override
    public void commit() {
        events.add("head");
    }

    @Override
    public Body next(Body failed, long position, IOException cause) throws IOException {
        throw cause;
    }

    @Override
    public void refuse(IOException cause) {
        events.add("refused");
    }

    @Override
    public void sever(IOException cause) {
        events.add("severed");
    }

    @Override
    public void ended(Transfer transfer, Transfer.End how, long sent, @Nullable Throwable cause) {
        events.add(how.toString());
    }

    // ---- the body

    @Override
    public int read(ByteBuffer target, long position) {
        int n = target.remaining();
        target.position(target.limit());
        return n;
    }

    @Override
    public boolean await(long position, Runnable wake) {
        return false;
    }

    @Override
    public void close() {
        events.add("closed");
    }

    // ---- the container

    @Override
    public void complete() {
        events.add("complete");
    }

    @Override
    public void addListener(AsyncListener listener) {
        // the test calls it
    }

    @Override
    public void addListener(AsyncListener listener, ServletRequest request, ServletResponse response) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void setTimeout(long millis) {
        // none runs
    }

    @Override
    public long getTimeout() {
        return 0;
    }

    @Override
    public ServletRequest getRequest() {
        throw new UnsupportedOperationException();
    }

    @Override
    public ServletResponse getResponse() {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean hasOriginalRequestAndResponse() {
        return true;
    }

    @Override
    public void dispatch() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void dispatch(String path) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void dispatch(ServletContext context, String path) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void start(Runnable work) {
        throw new UnsupportedOperationException();
    }

    @Override
    public <T extends AsyncListener> T createListener(Class<T> type) {
        throw new UnsupportedOperationException();
    }
}
