package org.anteroom.fill;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.anteroom.model.Sha256;

/**
 * The SHA-256 of what a fill has read, with its state at some places on the way, {@value #MOST} at most.
 *
 * <p>A reader that loses the growing copy goes on with the archive from the place before, and so can still tell, at the end,
 * whether the whole file is right; without that each reader would have to digest for itself what it sends, in case.
 *
 * <p>Fed by one thread; places may be asked for by any.
 */
final class FillDigest {
    static final int MOST = 1024;
    static final long LEAST_DISTANCE = 16L << 20;

    private final MessageDigest digester = Sha256.digester();
    private final ConcurrentNavigableMap<Long, MessageDigest> places = new ConcurrentSkipListMap<>();
    private final long distance;
    private long digested;

    /**
     * Of no bytes yet.
     *
     * @param placed whether places are wanted
     */
    FillDigest(long size, boolean placed) {
        this.distance = placed ? Math.max(LEAST_DISTANCE, size / MOST + 1) : Long.MAX_VALUE;
    }

    /** Takes the bytes that come next; leaves the buffer as it is. */
    void update(ByteBuffer bytes) {
        ByteBuffer rest = bytes.duplicate();
        int limit = rest.limit();
        while (rest.hasRemaining()) {
            long left = distance - digested % distance;
            rest.limit((int) Math.min(limit, rest.position() + left));
            digested += rest.remaining();
            digester.update(rest);
            rest.limit(limit);
            if (digested % distance == 0) {
                places.put(digested, copy(digester));
            }
        }
    }

    /** What was digested at the place before a position, or none if that is not so near: this far at most. */
    DigestedPrefix before(long position) {
        var place = places.floorEntry(position);
        return place == null ? DigestedPrefix.none() : new DigestedPrefix(place.getKey(), copy(place.getValue()));
    }

    /** How far from a position the place before it may be and still be worth to begin at. */
    long distance() {
        return distance;
    }

    /** The digest of all; to be called once, at the end. */
    Sha256 end() {
        return Sha256.of(digester);
    }

    private static MessageDigest copy(MessageDigest digest) {
        try {
            return (MessageDigest) digest.clone();
        } catch (CloneNotSupportedException e) {
            throw new IllegalStateException("the platform's SHA-256 can be copied", e);
        }
    }
}
