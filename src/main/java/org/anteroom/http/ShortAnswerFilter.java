package org.anteroom.http;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;

/** Has servlets whose answers fit into memory send them as {@link ShortAnswers}. */
public final class ShortAnswerFilter implements Filter {
    private final ShortAnswers answers;

    /** A filter that sends in that way. */
    public ShortAnswerFilter(ShortAnswers answers) {
        this.answers = answers;
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        HttpServletRequest asked = (HttpServletRequest) request;
        if (!Container.multiplexes(asked)) {
            chain.doFilter(request, response);
            return;
        }
        Kept kept = new Kept((HttpServletResponse) response);
        chain.doFilter(request, kept);
        answers.send(asked, (HttpServletResponse) response, kept.output.bytes.toByteArray());
    }

    /** A response whose body is kept. */
    private static final class Kept extends HttpServletResponseWrapper {
        private final Output output = new Output();

        Kept(HttpServletResponse response) {
            super(response);
        }

        @Override
        public ServletOutputStream getOutputStream() {
            return output;
        }

        @Override
        public PrintWriter getWriter() {
            throw new IllegalStateException("a short answer is written as bytes");
        }
    }

    /** Where the body is kept. */
    private static final class Output extends ServletOutputStream {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        @Override
        public void write(int b) {
            bytes.write(b);
        }

        @Override
        public void write(byte[] source, int offset, int length) {
            bytes.write(source, offset, length);
        }

        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public void setWriteListener(WriteListener listener) {
            throw new IllegalStateException("a short answer is written at once");
        }
    }
}
