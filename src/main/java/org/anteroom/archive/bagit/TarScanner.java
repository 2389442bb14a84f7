package org.anteroom.archive.bagit;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import org.anteroom.archive.bagit.Member.Method;
import org.jspecify.annotations.Nullable;

/**
 * Goes from header to header of a tar file: the old format, POSIX.1-1988 (ustar), POSIX.1-2001 (pax) and GNU's long names.
 * What lies between is not read.
 */
final class TarScanner {
    private static final int BLOCK = 512;
    /** What a disk reads at once anyway. */
    private static final int WINDOW = 4096;

    private static final int LONGEST_NAME = 64 * 1024;
    private static final int LONGEST_PAX = 1024 * 1024;

    private final Window file;
    private final MemberSink sink;
    private PaxRecords pax = PaxRecords.NONE;
    private @Nullable String longName;
    private @Nullable String longLink;

    private TarScanner(Window file, MemberSink sink) {
        this.file = file;
        this.sink = sink;
    }

    /** Tells a sink of all files and hard links in a tar file; folders and other things are left out. */
    static void scan(ByteSource file, MemberSink sink) throws IOException {
        new TarScanner(new Window(file, WINDOW), sink).scan();
    }

    private void scan() throws IOException {
        long position = 0;
        while (true) {
            ByteBuffer header = file.at(position, BLOCK);
            if (isZero(header)) {
                return;
            }
            checkSum(header, position);
            char type = (char) (header.get(156) & 0xFF);
            long data = position + BLOCK;
            long length = type >= '1' && type <= '6' ? 0 : length(header, type);
            if (length < 0 || length > file.size() - data) {
                throw Damage.bag("a file in it reaches over its end");
            }
            take(header, type, data, length);
            position = data + (length + BLOCK - 1) / BLOCK * BLOCK;
        }
    }

    private long length(ByteBuffer header, char type) throws IOException {
        String told = type == 'x' || type == 'g' || type == 'L' || type == 'K' ? null : pax.get("size");
        if (told == null) {
            return number(header, 124, 12);
        }
        try {
            return Long.parseLong(told);
        } catch (NumberFormatException e) {
            throw Damage.bag("a size that is no number");
        }
    }

    private void take(ByteBuffer header, char type, long data, long length) throws IOException {
        switch (type) {
            case 'L' -> longName = text(bytes(data, length, LONGEST_NAME));
            case 'K' -> longLink = text(bytes(data, length, LONGEST_NAME));
            case 'x' -> pax = PaxRecords.parse(bytes(data, length, LONGEST_PAX));
            case 'g' -> bytes(data, length, LONGEST_PAX);
            default -> {
                takeFile(header, type, data, length);
                pax = PaxRecords.NONE;
                longName = null;
                longLink = null;
            }
        }
    }

    private void takeFile(ByteBuffer header, char type, long data, long length) throws IOException {
        String name = name(header);
        if (name == null || name.endsWith("/")) {
            return;
        }
        boolean sparse = type == 'S' || pax.isSparse();
        switch (type) {
            case '0', '\0', '7', 'S' ->
                sink.take(
                        name,
                        new Member(
                                sparse ? Method.UNREADABLE : Method.PLAIN,
                                data,
                                length,
                                length,
                                Member.NO_CRC,
                                modified(header)));
            case '1' -> {
                String target = firstOf(pax.get("linkpath"), longLink, text(header.slice(157, 100)));
                if (target != null) {
                    sink.takeLink(name, target);
                }
            }
            default -> {
                // folders, links that are none to a file in here, devices
            }
        }
    }

    private @Nullable String name(ByteBuffer header) {
        String told = firstOf(pax.get("path"), longName, null);
        if (told != null) {
            return told;
        }
        String name = text(header.slice(0, 100));
        boolean posix = header.get(257 + 5) == 0 && "ustar".equals(text(header.slice(257, 5)));
        String prefix = posix ? text(header.slice(345, 155)) : "";
        return name == null || prefix == null || prefix.isEmpty() ? name : prefix + '/' + name;
    }

    private static @Nullable String firstOf(@Nullable String a, @Nullable String b, @Nullable String c) {
        return a != null ? a : b != null ? b : c;
    }

    private @Nullable Instant modified(ByteBuffer header) throws IOException {
        Instant told = pax.time("mtime");
        if (told != null) {
            return told;
        }
        long seconds = number(header, 136, 12);
        return Math.abs(seconds) > Instant.MAX.getEpochSecond() ? null : Instant.ofEpochSecond(seconds);
    }

    private ByteBuffer bytes(long data, long length, int most) throws IOException {
        if (length > most) {
            throw Damage.bag("a header of " + length + " bytes");
        }
        return file.at(data, (int) length);
    }

    /** Text up to the first zero, in UTF-8; null if it is none. */
    private static @Nullable String text(ByteBuffer bytes) {
        int length = 0;
        while (length < bytes.limit() && bytes.get(length) != 0) {
            length++;
        }
        return ZipNames.utf8(bytes.slice(0, length));
    }

    /** Octal digits, or binary in the way of GNU tar where those are too few. */
    private static long number(ByteBuffer header, int at, int length) throws IOException {
        if ((header.get(at) & 0x80) != 0) {
            long value = header.get(at) == (byte) 0xFF ? -1 : header.get(at) & 0x7F;
            for (int i = at + 1; i < at + length; i++) {
                if (value > Long.MAX_VALUE >> 8 || value < Long.MIN_VALUE >> 8) {
                    throw Damage.bag("a number that is too big");
                }
                value = value << 8 | (header.get(i) & 0xFF);
            }
            return value;
        }
        byte[] digits = new byte[length];
        header.slice(at, length).get(digits);
        String text = new String(digits, ISO_8859_1).replace('\0', ' ').strip();
        try {
            return text.isEmpty() ? 0 : Long.parseLong(text, 8);
        } catch (NumberFormatException e) {
            throw Damage.bag("a header with a number that is none");
        }
    }

    private static boolean isZero(ByteBuffer block) {
        for (int i = 0; i < BLOCK; i++) {
            if (block.get(i) != 0) {
                return false;
            }
        }
        return true;
    }

    private static void checkSum(ByteBuffer header, long position) throws IOException {
        long unsigned = 0;
        long signed = 0;
        for (int i = 0; i < BLOCK; i++) {
            byte value = i >= 148 && i < 156 ? (byte) ' ' : header.get(i);
            unsigned += value & 0xFF;
            signed += value;
        }
        long told = number(header, 148, 8);
        if (told != unsigned && told != signed) {
            throw Damage.bag("no header of a tar file at " + position);
        }
    }
}
