package org.anteroom.archive.bagit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Locale;

/** Writes tar files header by header, right and wrong. */
final class RawTar {
    private static final int BLOCK = 512;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    /** A file of POSIX.1-1988. */
    RawTar file(String name, byte[] bytes) {
        return entry('0', name, "", bytes);
    }

    /** Whatever type it is. */
    RawTar entry(char type, String name, String link, byte[] bytes) {
        return raw(header(type, name, link, bytes.length), bytes);
    }

    /** What the next entry is, in the way of POSIX.1-2001. */
    RawTar pax(String... keysAndValues) {
        ByteArrayOutputStream records = new ByteArrayOutputStream();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            byte[] rest = (" " + keysAndValues[i] + '=' + keysAndValues[i + 1] + '\n').getBytes(UTF_8);
            int length = rest.length + 1;
            while (String.valueOf(length).length() + rest.length != length) {
                length = String.valueOf(length).length() + rest.length;
            }
            records.writeBytes(String.valueOf(length).getBytes(UTF_8));
            records.writeBytes(rest);
        }
        return entry('x', "pax", "", records.toByteArray());
    }

    RawTar raw(byte[] header, byte[] bytes) {
        out.writeBytes(header);
        out.writeBytes(bytes);
        out.writeBytes(new byte[(BLOCK - bytes.length % BLOCK) % BLOCK]);
        return this;
    }

    static byte[] header(char type, String name, String link, long size) {
        ByteBuffer header = ByteBuffer.allocate(BLOCK);
        header.put(0, name.getBytes(UTF_8));
        header.put(100, "0000644\0".getBytes(UTF_8));
        header.put(124, String.format(Locale.ROOT, "%011o\0", size).getBytes(UTF_8));
        header.put(136, String.format(Locale.ROOT, "%011o\0", 1_715_000_000L).getBytes(UTF_8));
        header.put(156, (byte) type);
        header.put(157, link.getBytes(UTF_8));
        header.put(257, "ustar\00000".getBytes(UTF_8));
        return sealed(header.array());
    }

    /** The header with its checksum. */
    static byte[] sealed(byte[] header) {
        int sum = 0;
        for (int i = 0; i < BLOCK; i++) {
            sum += i >= 148 && i < 156 ? ' ' : header[i] & 0xFF;
        }
        byte[] text = String.format(Locale.ROOT, "%06o\0 ", sum).getBytes(UTF_8);
        System.arraycopy(text, 0, header, 148, text.length);
        return header;
    }

    /** What was written, without an end. */
    byte[] open() {
        return out.toByteArray();
    }

    byte[] closed() {
        out.writeBytes(new byte[2 * BLOCK]);
        return out.toByteArray();
    }
}
