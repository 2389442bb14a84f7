package org.anteroom.testing;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * What a server of files does that does it right: HEAD, GET, one range that goes to the end or to a byte, and If-Match; with
 * strong tags. For a {@link FaultServer} to do it, or nearly so.
 */
public final class Origin implements FaultServer.Behaviour {
    private final Map<String, byte[]> files = new ConcurrentHashMap<>();

    /** Puts a file, by the raw target of its requests. */
    public void put(String target, byte[] bytes) {
        files.put(target, bytes);
    }

    /** The tag of a content. */
    public static String tag(byte[] bytes) {
        CRC32 crc = new CRC32();
        crc.update(bytes);
        return "\"" + Long.toHexString(crc.getValue()) + "-" + bytes.length + "\"";
    }

    /** The head of an answer and the part of a file that is its body. */
    public static final class Answer {
        private final String head;
        private final byte[] bytes;
        private final int from;
        private final int to;

        private Answer(String head, byte[] bytes, int from, int to) {
            this.head = head;
            this.bytes = bytes;
            this.from = from;
            this.to = to;
        }

        /** The status line and the fields, with the empty line after them. */
        public String head() {
            return head;
        }

        /** The length of the body; 0 in an answer to HEAD. */
        public int length() {
            return to - from;
        }

        /** Sends a part of the body. */
        public void sendBody(FaultServer.Exchange exchange, int first, int end) throws IOException {
            exchange.send(bytes, from + first, from + end);
        }
    }

    /** The right answer. */
    public Answer decide(FaultServer.Exchange exchange) {
        byte[] bytes = files.get(exchange.request().target());
        if (exchange.request().target().equals("/")) {
            return new Answer("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", new byte[0], 0, 0);
        }
        if (bytes == null) {
            return new Answer("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", new byte[0], 0, 0);
        }
        String condition = exchange.field("If-Match");
        if (condition != null && !condition.equals(tag(bytes))) {
            return new Answer("HTTP/1.1 412 Precondition Failed\r\nContent-Length: 0\r\n\r\n", bytes, 0, 0);
        }
        int[] range = range(exchange.field("Range"), bytes.length);
        int from = range == null ? 0 : range[0];
        int to = range == null ? bytes.length : range[1];
        String head = (range == null
                        ? "HTTP/1.1 200 OK\r\n"
                        : "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes " + from + "-" + (to - 1) + "/"
                                + bytes.length + "\r\n")
                + "ETag: " + tag(bytes) + "\r\nContent-Length: " + (to - from) + "\r\n\r\n";
        boolean body = exchange.request().method().equals("GET");
        return new Answer(head, bytes, from, body ? to : from);
    }

    private static int @Nullable [] range(@Nullable String field, int size) {
        if (field == null) {
            return null;
        }
        String[] bounds = field.substring("bytes=".length()).split("-", -1);
        int from = Integer.parseInt(bounds[0]);
        int to = bounds[1].isEmpty() ? size : Math.min(size, Integer.parseInt(bounds[1]) + 1);
        return new int[] {from, to};
    }

    @Override
    public void answer(FaultServer.Exchange exchange) throws IOException {
        Answer answer = decide(exchange);
        exchange.send(answer.head());
        answer.sendBody(exchange, 0, answer.length());
    }
}
