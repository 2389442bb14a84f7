package org.anteroom.delivery;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import org.anteroom.model.ByteRange;

/**
 * The body of an answer of several ranges, {@code multipart/byteranges} (RFC 9110, section 14.6; RFC 2046, section 5.1):
 * before each range the header of its part, after the last one a closing line. The bytes between are the file's.
 *
 * <p>The boundary is 122 random bits of this answer alone. One that lived longer could be read out of an answer, and put into
 * a file whose parts would then end where its author likes.
 */
public final class Multipart {
    private final List<ByteRange> ranges;
    private final String contentType;
    private final long size;
    private final String boundary = UUID.randomUUID().toString();
    private final long length;

    /**
     * A body of ranges of one file.
     *
     * @param ranges in the order of the parts; at least two
     * @param contentType the file's
     * @param size the file's, in bytes
     */
    Multipart(List<ByteRange> ranges, String contentType, long size) {
        this.ranges = List.copyOf(ranges);
        this.contentType = contentType;
        this.size = size;
        long sum = closing().length;
        for (int part = 0; part < ranges.size(); part++) {
            sum += preamble(part).length + ranges.get(part).length();
        }
        this.length = sum;
    }

    /** The {@code Content-Type} of the answer. */
    String mediaType() {
        return "multipart/byteranges; boundary=" + boundary;
    }

    /** All bytes, those of the file and those around them. */
    public long length() {
        return length;
    }

    /** How many parts there are. */
    public int count() {
        return ranges.size();
    }

    /** The range of the file that is the content of a part. */
    public ByteRange range(int part) {
        return ranges.get(part);
    }

    /** What stands before the content of a part: the delimiter and the part's header. */
    public byte[] preamble(int part) {
        ByteRange range = ranges.get(part);
        String text = (part == 0 ? "--" : "\r\n--") + boundary
                + "\r\nContent-Type: " + contentType
                + "\r\nContent-Range: bytes " + range.first() + '-' + range.last() + '/' + size
                + "\r\n\r\n";
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    /** What stands after the content of the last part. */
    public byte[] closing() {
        return ("\r\n--" + boundary + "--\r\n").getBytes(StandardCharsets.ISO_8859_1);
    }
}
