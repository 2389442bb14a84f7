package org.anteroom.http;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Enumeration;
import org.anteroom.delivery.FileRequest;
import org.jspecify.annotations.Nullable;

/** Takes what decides the answer out of a servlet request. */
final class FileRequests {
    private FileRequests() {}

    /**
     * The parts of a GET or HEAD request.
     *
     * @param inline whether the client asks to look at the file
     */
    static FileRequest of(HttpServletRequest request, boolean inline) {
        return new FileRequest(
                request.getMethod().equals("HEAD"),
                inline,
                field(request, "If-Match"),
                field(request, "If-Unmodified-Since"),
                field(request, "If-None-Match"),
                field(request, "If-Modified-Since"),
                field(request, "Range"),
                field(request, "If-Range"),
                field(request, "Want-Repr-Digest"));
    }

    /** All lines of a field (RFC 9110, section 5.3); a condition on the second one counts, too. */
    static @Nullable String field(HttpServletRequest request, String name) {
        if (request.getHeader(name) == null) {
            return null;
        }
        Enumeration<String> lines = request.getHeaders(name);
        String first = lines.nextElement();
        if (!lines.hasMoreElements()) {
            return first;
        }
        StringBuilder joined = new StringBuilder(first);
        while (lines.hasMoreElements()) {
            joined.append(", ").append(lines.nextElement());
        }
        return joined.toString();
    }
}
