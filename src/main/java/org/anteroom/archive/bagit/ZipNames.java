package org.anteroom.archive.bagit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * The names in zip files: in UTF-8 where that is said; else in code page 437 (APPNOTE 6.3.10, appendix D), but for writers on
 * Unix, most of which write what their file system has.
 */
final class ZipNames {
    private static final int IN_UTF_8 = 1 << 11;
    private static final int EXTRA_UNICODE_PATH = 0x7075;
    private static final String CODE_PAGE = "IBM437";

    private ZipNames() {}

    /** The name of an entry; null if its bytes are none. */
    static @Nullable String decode(ByteBuffer raw, int flags, boolean fromUnix, ByteBuffer extra) {
        if (isAscii(raw) || (flags & IN_UTF_8) != 0) {
            return utf8(raw);
        }
        String unicode = unicodePath(raw, ZipScanner.extra(extra, EXTRA_UNICODE_PATH));
        if (unicode == null && fromUnix) {
            unicode = utf8(raw);
        }
        if (unicode == null && Charset.isSupported(CODE_PAGE)) {
            return Charset.forName(CODE_PAGE).decode(raw.duplicate()).toString();
        }
        return unicode;
    }

    private static boolean isAscii(ByteBuffer bytes) {
        for (int i = 0; i < bytes.limit(); i++) {
            if (bytes.get(i) < 0) {
                return false;
            }
        }
        return true;
    }

    static @Nullable String utf8(ByteBuffer bytes) {
        try {
            return UTF_8.newDecoder().decode(bytes.duplicate()).toString();
        } catch (CharacterCodingException e) {
            return null;
        }
    }

    /** The name that Info-ZIP writes besides, with a checksum of the one that it stands for. */
    private static @Nullable String unicodePath(ByteBuffer raw, @Nullable ByteBuffer field) {
        if (field == null || field.remaining() < 5 || field.get(0) != 1) {
            return null;
        }
        CRC32 crc = new CRC32();
        crc.update(raw.duplicate());
        return (int) crc.getValue() == field.getInt(1) ? utf8(field.position(5).slice()) : null;
    }
}
