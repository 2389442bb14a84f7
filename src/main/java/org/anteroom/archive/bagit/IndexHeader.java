package org.anteroom.archive.bagit;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;

/**
 * The first block of an index.
 *
 * @param bag the identity of the bag that it is of
 * @param lookup whether the bag has a lookup
 * @param entries how many entries there are
 * @param blocks how many blocks they take
 */
record IndexHeader(String bag, boolean lookup, long entries, int blocks) {
    /** The number at its end is that of the format: another one is not read. */
    private static final byte[] MAGIC = "ANTERBG1".getBytes(US_ASCII);

    ByteBuffer encode() {
        byte[] text = bag.getBytes(UTF_8);
        ByteBuffer block = ByteBuffer.allocate(Block.SIZE);
        block.put(MAGIC)
                .put((byte) (lookup ? 1 : 0))
                .putLong(entries)
                .putInt(blocks)
                .putShort((short) text.length)
                .put(text);
        return Block.seal(block);
    }

    static Optional<IndexHeader> decode(ByteBuffer block) {
        byte[] magic = new byte[MAGIC.length];
        block.get(magic);
        if (!Arrays.equals(magic, MAGIC) || !Block.isSealed(block)) {
            return Optional.empty();
        }
        boolean lookup = block.get() == 1;
        long entries = block.getLong();
        int blocks = block.getInt();
        byte[] text = new byte[block.getShort()];
        block.get(text);
        return Optional.of(new IndexHeader(new String(text, UTF_8), lookup, entries, blocks));
    }
}
