package org.anteroom.archive.bagit;

import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Objects;
import org.anteroom.model.FileFacts;
import org.anteroom.model.Sha256;
import org.jspecify.annotations.Nullable;

/**
 * A file as it was found in its bag.
 *
 * @param bag the bag that has it
 * @param file where its bytes lie: the bag's own file, or a file in the bag's folder
 * @param identity of the file in a folder; empty in a zip or tar file
 * @param member the file in the zip or tar file; null in a folder
 * @param algorithm of the digest to go by; null if no manifest has one
 * @param digest in hexadecimal digits
 */
record Located(
        Bag bag,
        Path file,
        String identity,
        @Nullable Member member,
        @Nullable Algorithm algorithm,
        @Nullable String digest,
        FileFacts facts) {

    static Located of(
            Bag bag,
            Path file,
            String identity,
            @Nullable Member member,
            long size,
            @Nullable Instant modified,
            Entry entry) {
        Algorithm best = entry.digests().keySet().stream().findFirst().orElse(null);
        String digest = best == null
                ? null
                : HexFormat.of()
                        .formatHex(Objects.requireNonNull(entry.digests().get(best)));
        String tag = best == null ? tag(size, modified, member) : '"' + best.label() + '-' + digest + '"';
        Sha256 sha256 = best == Algorithm.SHA256 && digest != null ? new Sha256(digest) : null;
        return new Located(bag, file, identity, member, best, digest, new FileFacts(size, modified, tag, sha256, null));
    }

    private static @Nullable String tag(long size, @Nullable Instant modified, @Nullable Member member) {
        if (modified == null) {
            return null;
        }
        String tag = Long.toHexString(size)
                + '-'
                + Long.toHexString(modified.getEpochSecond())
                + '-'
                + Integer.toHexString(modified.getNano());
        long crc = member == null ? Member.NO_CRC : member.crc();
        return '"' + (crc == Member.NO_CRC ? tag : tag + '-' + Long.toHexString(crc)) + '"';
    }

    /** Whether the facts speak of a file with a digest other than the one that they have room for. */
    static boolean isVerifiedHere(FileFacts facts) {
        String tag = facts.etag();
        return facts.sha256() == null
                && tag != null
                && Arrays.stream(Algorithm.values())
                        .anyMatch(algorithm -> tag.startsWith('"' + algorithm.label() + '-'));
    }

    /** The digest that nobody else verifies: who reads goes by the SHA-256 of the facts. */
    @Nullable
    Algorithm algorithmToVerify() {
        return algorithm == Algorithm.SHA256 ? null : algorithm;
    }
}
