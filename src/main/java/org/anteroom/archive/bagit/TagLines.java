package org.anteroom.archive.bagit;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.Charset;
import org.jspecify.annotations.Nullable;

/** The lines of a tag file: ended by LF, CR or both, without a byte order mark; none is longer than memory permits. */
final class TagLines {
    private static final int LONGEST_LINE = 64 * 1024;
    private static final char BYTE_ORDER_MARK = '\uFEFF';

    private final Reader in;
    private final char[] buffer = new char[8192];
    private final StringBuilder line = new StringBuilder();
    private int at;
    private int limit;
    private boolean first = true;
    private boolean afterReturn;

    /** The lines of a stream; bytes that are no text in that encoding become replacement characters. */
    TagLines(InputStream in, Charset encoding) {
        this.in = new InputStreamReader(in, encoding);
    }

    /** The next line; null after the last. */
    @Nullable
    String next() throws IOException {
        line.setLength(0);
        while (true) {
            if (at == limit) {
                at = 0;
                limit = Math.max(0, in.read(buffer));
                if (limit == 0) {
                    return line.length() == 0 ? null : line.toString();
                }
            }
            char c = buffer[at++];
            boolean mark = first && c == BYTE_ORDER_MARK;
            first = false;
            boolean secondHalf = c == '\n' && afterReturn;
            afterReturn = c == '\r';
            if (mark || secondHalf) {
                continue;
            }
            if (c == '\n' || c == '\r') {
                return line.toString();
            }
            if (line.length() == LONGEST_LINE) {
                throw Damage.bag("a tag file with a line of more than " + LONGEST_LINE + " characters");
            }
            line.append(c);
        }
    }
}
