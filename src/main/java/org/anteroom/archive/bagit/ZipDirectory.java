package org.anteroom.archive.bagit;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Where the central directory of a zip file lies (APPNOTE 6.3.10, sections 4.3.14 to 4.3.16).
 *
 * @param count how many entries it has; without ZIP64 only the last 16 bits of that
 */
record ZipDirectory(long offset, long size, long count, boolean zip64) {
    private static final int END = 0x06054b50;
    private static final int END_LENGTH = 22;
    private static final int LONGEST_COMMENT = 0xFFFF;
    private static final int LOCATOR = 0x07064b50;
    private static final int LOCATOR_LENGTH = 20;
    private static final int END64 = 0x06064b50;
    private static final int END64_LENGTH = 56;
    private static final int MANY = 0xFFFF;
    private static final long BIG = 0xFFFFFFFFL;

    /** Finds it from the file's end. */
    static ZipDirectory find(Window file) throws IOException {
        long size = file.size();
        int tail = (int) Math.min(size, END_LENGTH + LONGEST_COMMENT);
        ByteBuffer bytes = file.at(size - tail, tail);
        for (int i = tail - END_LENGTH; i >= 0; i--) {
            if (bytes.getInt(i) == END && (bytes.getShort(i + 20) & 0xFFFF) == tail - i - END_LENGTH) {
                return read(file, bytes.slice(i, END_LENGTH).order(bytes.order()), size - tail + i)
                        .checked();
            }
        }
        throw Damage.bag("no zip file, or one that is cut off");
    }

    private static ZipDirectory read(Window file, ByteBuffer end, long position) throws IOException {
        int count = end.getShort(10) & 0xFFFF;
        long size = end.getInt(12) & BIG;
        long offset = end.getInt(16) & BIG;
        int disks = (end.getShort(4) & 0xFFFF) | (end.getShort(6) & 0xFFFF);
        if (count != MANY && size != BIG && offset != BIG) {
            requireOneDisk(disks);
            return within(position, new ZipDirectory(offset, size, count, false));
        }
        if (position < LOCATOR_LENGTH) {
            return within(position, new ZipDirectory(offset, size, count, false));
        }
        ByteBuffer locator = file.at(position - LOCATOR_LENGTH, LOCATOR_LENGTH);
        if (locator.getInt(0) != LOCATOR) {
            // just so many
            return within(position, new ZipDirectory(offset, size, count, false));
        }
        long position64 = locator.getLong(8);
        ByteBuffer end64 = file.at(position64, END64_LENGTH);
        if (end64.getInt(0) != END64) {
            throw Damage.bag("no ZIP64 end of the central directory where it should be");
        }
        requireOneDisk(end64.getInt(16) | end64.getInt(20));
        return within(position64, new ZipDirectory(end64.getLong(48), end64.getLong(40), end64.getLong(32), true));
    }

    private static ZipDirectory within(long end, ZipDirectory directory) throws IOException {
        if (directory.offset < 0 || directory.size < 0 || directory.size > end - directory.offset) {
            throw Damage.bag("the central directory does not lie in the zip file");
        }
        return directory;
    }

    private ZipDirectory checked() throws IOException {
        if (count < 0) {
            throw Damage.bag("a zip file with " + count + " entries");
        }
        return this;
    }

    private static void requireOneDisk(int disks) throws IOException {
        if (disks != 0) {
            throw Damage.bag("a part of a zip file of several parts");
        }
    }

    /** Whether it can have so many entries. */
    boolean hasEntries(long found) {
        return zip64 ? found == count : (found & MANY) == count;
    }
}
