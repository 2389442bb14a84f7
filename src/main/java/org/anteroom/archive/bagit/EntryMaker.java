package org.anteroom.archive.bagit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Makes one entry of all sorted records of a path. */
final class EntryMaker implements Sorter.Sink {
    /** A file in a zip or tar file: its number, then {@link #FILE} or {@link #LINK}. */
    static final byte MEMBER = 0;

    static final byte FILE = 0;
    static final byte LINK = 1;

    /** A digest: algorithm, rank of the path's meaning, and the digest, or nothing if what stood there is none. */
    static final byte DIGEST = 1;

    /** The bag that has the file: the line's number, then its name. */
    static final byte PLACE = 2;

    private final byte[] payload;
    private final boolean isFolder;
    private final boolean lastWins;
    private final IndexWriter out;
    private byte @Nullable [] key;
    private @Nullable Member member;
    private @Nullable String link;
    private final Map<Algorithm, byte[]> digests = new EnumMap<>(Algorithm.class);
    private final Map<Algorithm, Byte> ranks = new EnumMap<>(Algorithm.class);
    private boolean contradictory;
    private @Nullable String bag;

    /**
     * A maker of entries.
     *
     * @param payload what all paths begin with; it is left out
     */
    EntryMaker(String payload, Bag bag, IndexWriter out) {
        this.payload = payload.getBytes(UTF_8);
        this.isFolder = bag.isFolder();
        this.lastWins = bag.name().form() == BagName.Form.TAR;
        this.out = out;
    }

    @Override
    public void take(byte[] path, ByteBuffer rest) throws IOException {
        if (path.length <= payload.length || !Arrays.equals(path, 0, payload.length, payload, 0, payload.length)) {
            return;
        }
        if (!Arrays.equals(path, key)) {
            end();
            key = path;
        }
        switch (rest.get()) {
            case MEMBER -> takeMember(rest);
            case DIGEST -> takeDigest(rest);
            default -> {
                rest.getLong();
                bag = text(rest);
            }
        }
    }

    private void takeMember(ByteBuffer rest) {
        rest.getLong();
        boolean another = member != null || link != null;
        member = null;
        link = null;
        if (rest.get() == LINK) {
            link = withoutPayload(text(rest));
        } else {
            Member found = Member.get(rest);
            member = another && !lastWins ? found.ambiguous() : found;
        }
    }

    private String withoutPayload(String path) {
        String start = new String(payload, UTF_8);
        // nothing is found under a name that begins with a slash
        return path.startsWith(start) ? path.substring(start.length()) : '/' + path;
    }

    private void takeDigest(ByteBuffer rest) {
        Algorithm algorithm = Algorithm.of(rest.get());
        byte rank = rest.get();
        Byte known = ranks.get(algorithm);
        if (known != null && known < rank) {
            return;
        }
        byte[] digest = new byte[rest.remaining()];
        rest.get(digest);
        byte[] other = digests.get(algorithm);
        contradictory |= digest.length == 0 || (other != null && !Arrays.equals(other, digest));
        ranks.put(algorithm, rank);
        digests.put(algorithm, digest.length == 0 ? new byte[algorithm.length()] : digest);
    }

    private static String text(ByteBuffer bytes) {
        return UTF_8.decode(bytes).toString();
    }

    /** Writes the entry that is being made. */
    void end() throws IOException {
        byte[] path = key;
        // what only a manifest knows is not in a zip or tar file
        if (path != null && (member != null || link != null || bag != null || isFolder)) {
            out.add(
                    Arrays.copyOfRange(path, payload.length, path.length),
                    new Entry(member, link, digests, contradictory, bag).encode());
        }
        member = null;
        link = null;
        digests.clear();
        ranks.clear();
        contradictory = false;
        bag = null;
    }
}
