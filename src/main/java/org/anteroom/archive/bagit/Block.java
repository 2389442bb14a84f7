package org.anteroom.archive.bagit;

import java.nio.ByteBuffer;
import java.util.zip.CRC32;

/** The unit in which an index is read: so many bytes, the last four of which are their checksum. */
final class Block {
    static final int SIZE = 8192;

    /** What fits into one besides the checksum. */
    static final int ROOM = SIZE - Integer.BYTES;

    private Block() {}

    /** Completes a block of which some bytes were put. */
    static ByteBuffer seal(ByteBuffer block) {
        block.clear();
        return block.putInt(ROOM, crc(block));
    }

    static boolean isSealed(ByteBuffer block) {
        return block.limit() == SIZE && block.getInt(ROOM) == crc(block);
    }

    private static int crc(ByteBuffer block) {
        CRC32 crc = new CRC32();
        crc.update(block.slice(0, ROOM));
        return (int) crc.getValue();
    }
}
