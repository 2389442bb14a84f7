package org.anteroom.archive.bagit;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import org.anteroom.archive.bagit.Member.Method;
import org.jspecify.annotations.Nullable;

/**
 * Reads the central directory of a zip file as it goes by (APPNOTE 6.3.10, section 4.3.12): its memory does not grow with
 * the number of entries.
 *
 * <p>Sizes are taken from there alone, so that it does not matter whether a streaming writer put them behind the data.
 */
final class ZipScanner {
    private static final int WINDOW = 64 * 1024;
    private static final int ENTRY = 0x02014b50;
    private static final int ENTRY_LENGTH = 46;
    private static final long BIG = 0xFFFFFFFFL;
    private static final int ENCRYPTED = 1 | 1 << 6 | 1 << 13;
    private static final int FROM_UNIX = 3;
    private static final int KIND_MASK = 0xF000;
    private static final int KIND_FILE = 0x8000;
    private static final int EXTRA_ZIP64 = 0x0001;
    private static final int EXTRA_NTFS = 0x000a;
    private static final int EXTRA_TIME = 0x5455;
    /** From 1601 to 1970, in units of 100 ns. */
    private static final long NTFS_EPOCH = 116_444_736_000_000_000L;

    private final Window file;
    private final MemberSink sink;

    private ZipScanner(Window file, MemberSink sink) {
        this.file = file;
        this.sink = sink;
    }

    /** Tells a sink of all files in a zip file; folders and links are left out. */
    static void scan(ByteSource file, MemberSink sink) throws IOException {
        Window window = new Window(file, WINDOW);
        new ZipScanner(window, sink).scan(ZipDirectory.find(window));
    }

    private void scan(ZipDirectory directory) throws IOException {
        long position = directory.offset();
        long end = position + directory.size();
        long found = 0;
        while (position < end) {
            ByteBuffer fixed = file.at(position, ENTRY_LENGTH);
            if (fixed.getInt(0) != ENTRY) {
                throw Damage.bag("no entry of the central directory at " + position);
            }
            int nameLength = fixed.getShort(28) & 0xFFFF;
            int extraLength = fixed.getShort(30) & 0xFFFF;
            int commentLength = fixed.getShort(32) & 0xFFFF;
            int length = ENTRY_LENGTH + nameLength + extraLength + commentLength;
            if (length > end - position) {
                throw Damage.bag("an entry reaches over the end of the central directory");
            }
            ByteBuffer entry = file.at(position, length);
            take(entry, part(entry, ENTRY_LENGTH, nameLength), part(entry, ENTRY_LENGTH + nameLength, extraLength));
            position += length;
            found++;
        }
        if (!directory.hasEntries(found)) {
            throw Damage.bag(found + " entries where " + directory.count() + " are told of");
        }
    }

    private static ByteBuffer part(ByteBuffer whole, int from, int length) {
        return whole.slice(from, length).order(ByteOrder.LITTLE_ENDIAN);
    }

    private void take(ByteBuffer entry, ByteBuffer rawName, ByteBuffer extra) throws IOException {
        boolean fromUnix = (entry.getShort(4) >> 8 & 0xFF) == FROM_UNIX;
        int flags = entry.getShort(8) & 0xFFFF;
        String name = ZipNames.decode(rawName, flags, fromUnix, extra);
        int kind = entry.getInt(38) >>> 16 & KIND_MASK;
        if (name == null || name.endsWith("/") || (fromUnix && kind != 0 && kind != KIND_FILE)) {
            return;
        }
        Sizes sizes = Sizes.of(entry, extra);
        Method method = method(entry.getShort(10) & 0xFFFF, flags);
        long crc = entry.getInt(16) & BIG;
        sink.take(
                name,
                new Member(method, sizes.offset, sizes.stored, sizes.size, crc, modified(entry.getInt(12), extra)));
    }

    private static Method method(int number, int flags) {
        if ((flags & ENCRYPTED) != 0) {
            return Method.UNREADABLE;
        }
        return switch (number) {
            case 0 -> Method.STORED;
            case 8 -> Method.DEFLATED;
            default -> Method.UNREADABLE;
        };
    }

    /** Sizes and place, which lie in the ZIP64 field where they are too big for their own. */
    private record Sizes(long size, long stored, long offset) {

        static Sizes of(ByteBuffer entry, ByteBuffer extra) throws IOException {
            long stored = entry.getInt(20) & BIG;
            long size = entry.getInt(24) & BIG;
            long offset = entry.getInt(42) & BIG;
            ByteBuffer big = extra(extra, EXTRA_ZIP64);
            size = size == BIG ? next(big) : size;
            stored = stored == BIG ? next(big) : stored;
            offset = offset == BIG ? next(big) : offset;
            return new Sizes(size, stored, offset);
        }

        private static long next(@Nullable ByteBuffer big) throws IOException {
            if (big == null || big.remaining() < Long.BYTES) {
                throw Damage.bag("an entry lacks its ZIP64 sizes");
            }
            long value = big.getLong();
            if (value < 0) {
                throw Damage.bag("an entry with a size of " + value);
            }
            return value;
        }
    }

    /** One of an entry's extra fields; null if it is not there. */
    static @Nullable ByteBuffer extra(ByteBuffer all, int id) {
        int at = 0;
        while (at + 4 <= all.limit()) {
            int length = all.getShort(at + 2) & 0xFFFF;
            if (length > all.limit() - at - 4) {
                return null;
            }
            if ((all.getShort(at) & 0xFFFF) == id) {
                return part(all, at + 4, length);
            }
            at += 4 + length;
        }
        return null;
    }

    /** In UTC where that is told; else a time of no zone, taken for UTC so that it is the same on every machine. */
    private static @Nullable Instant modified(int dos, ByteBuffer extra) {
        ByteBuffer unix = extra(extra, EXTRA_TIME);
        if (unix != null && unix.remaining() >= 5 && (unix.get(0) & 1) != 0) {
            return Instant.ofEpochSecond(unix.getInt(1));
        }
        ByteBuffer ntfs = extra(extra, EXTRA_NTFS);
        // four bytes of nothing, then the only attribute that there is
        if (ntfs != null && ntfs.remaining() >= 16 && ntfs.getShort(4) == 1) {
            long ticks = ntfs.getLong(8) - NTFS_EPOCH;
            return Instant.ofEpochSecond(Math.floorDiv(ticks, 10_000_000L), Math.floorMod(ticks, 10_000_000L) * 100);
        }
        try {
            return LocalDateTime.of(
                            1980 + (dos >>> 25),
                            dos >>> 21 & 0xF,
                            dos >>> 16 & 0x1F,
                            dos >>> 11 & 0x1F,
                            dos >>> 5 & 0x3F,
                            (dos & 0x1F) * 2)
                    .toInstant(ZoneOffset.UTC);
        } catch (DateTimeException e) {
            return null;
        }
    }
}
