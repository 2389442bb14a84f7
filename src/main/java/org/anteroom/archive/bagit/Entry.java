package org.anteroom.archive.bagit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the index of a bag says of one path, below {@code data/}.
 *
 * @param member the file of that path in the zip or tar file; null if there is none, or the bag is a folder
 * @param link the path whose file it is, of a hard link; null if it is none
 * @param digests what the manifests say
 * @param contradictory whether the manifests say two things, or what is no digest
 * @param bag the bag that has the file, as the lookup says; null if that does not name the path
 */
record Entry(
        @Nullable Member member,
        @Nullable String link,
        Map<Algorithm, byte[]> digests,
        boolean contradictory,
        @Nullable String bag) {
    /** The most bytes of text in it. */
    static final int LONGEST_TEXT = 2500;

    private static final int HAS_MEMBER = 1;
    private static final int HAS_LINK = 2;
    private static final int IS_CONTRADICTORY = 4;
    private static final int HAS_BAG = 8;
    private static final int LONGEST_DIGESTS = 4 + 32 + 64 + 20 + 16;

    byte[] encode() {
        byte[] linkBytes = link == null ? new byte[0] : link.getBytes(UTF_8);
        byte[] bagBytes = bag == null ? new byte[0] : bag.getBytes(UTF_8);
        ByteBuffer out = ByteBuffer.allocate(
                2 + Member.LONGEST + LONGEST_DIGESTS + 2 * Short.BYTES + linkBytes.length + bagBytes.length);
        out.put((byte) ((member == null ? 0 : HAS_MEMBER)
                | (link == null ? 0 : HAS_LINK)
                | (contradictory ? IS_CONTRADICTORY : 0)
                | (bag == null ? 0 : HAS_BAG)));
        if (member != null) {
            member.put(out);
        }
        if (link != null) {
            out.putShort((short) linkBytes.length).put(linkBytes);
        }
        if (bag != null) {
            out.putShort((short) bagBytes.length).put(bagBytes);
        }
        out.put((byte) digests.size());
        digests.forEach((algorithm, digest) -> out.put(algorithm.code()).put(digest));
        byte[] bytes = new byte[out.position()];
        out.flip().get(bytes);
        return bytes;
    }

    static Entry decode(ByteBuffer in) {
        int flags = in.get();
        Member member = (flags & HAS_MEMBER) == 0 ? null : Member.get(in);
        String link = (flags & HAS_LINK) == 0 ? null : text(in);
        String bag = (flags & HAS_BAG) == 0 ? null : text(in);
        Map<Algorithm, byte[]> digests = new EnumMap<>(Algorithm.class);
        int count = in.get();
        for (int i = 0; i < count; i++) {
            Algorithm algorithm = Algorithm.of(in.get());
            byte[] digest = new byte[algorithm.length()];
            in.get(digest);
            digests.put(algorithm, digest);
        }
        return new Entry(member, link, digests, (flags & IS_CONTRADICTORY) != 0, bag);
    }

    private static String text(ByteBuffer in) {
        byte[] bytes = new byte[in.getShort()];
        in.get(bytes);
        return new String(bytes, UTF_8);
    }
}
