package org.anteroom.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.anteroom.model.Sha256;
import org.anteroom.testing.RawHttp;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** RFC 9530: the digest over the wire, where the archive tells it and where the first fill finds it. */
class Rfc9530IT {
    private static final List<String[]> OF_THE_FILE = List.of(
            new String[] {}, new String[] {"Range: bytes=5-9"}, new String[] {"Range: bytes=5-9,0-0"}, new String[] {
                "Want-Repr-Digest: sha-512=10"
            });

    private static final List<String[]> WITHOUT = List.of(
            new String[] {"Want-Repr-Digest: sha-256=0"},
            new String[] {"Want-Repr-Digest: md5=1", "Want-Repr-Digest: sha-256=0"},
            new String[] {"If-None-Match: *"},
            new String[] {"If-Match: \"x\""},
            new String[] {"Range: bytes=9999-"});

    @TempDir
    Path folder;

    @Test
    void whatTheArchiveTellsIsSentBeforeTheFirstFill() throws Exception {
        try (Site site = Site.start(Site.Server.TOMCAT, folder, "volume.cache.status", "offline")) {
            Sha256 digest = Sha256.of(site.put("f", 1000));
            site.archive().tellDigests(Map.of("f", digest));
            check(site, "sha-256=:" + digest.base64() + ":");
        }
    }

    @Test
    void whatTheFillFindsIsSentFromThenOn() throws Exception {
        try (Site site = Site.start(Site.Server.TOMCAT, folder)) {
            Sha256 digest = Sha256.of(site.put("f", 1000));
            assertThat(site.get("f").header("Repr-Digest")).isEmpty();
            site.getHit("f");
            check(site, "sha-256=:" + digest.base64() + ":");
        }
    }

    private static void check(Site site, String digest) throws Exception {
        for (String method : List.of("GET", "HEAD")) {
            for (String[] fields : OF_THE_FILE) {
                RawHttp.Response answer = RawHttp.exchange(site.uri(), method, Site.target("f"), fields);
                assertThat(answer.status()).isIn(200, 206);
                assertThat(answer.header("Repr-Digest"))
                        .as("%s %s", method, List.of(fields))
                        .hasValue(digest);
            }
        }
        for (String[] fields : WITHOUT) {
            assertThat(site.get("f", fields).header("Repr-Digest"))
                    .as("%s", List.of(fields))
                    .isEmpty();
        }
    }
}
