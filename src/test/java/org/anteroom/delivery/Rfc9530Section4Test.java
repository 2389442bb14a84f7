package org.anteroom.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import org.anteroom.model.FileFacts;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** RFC 9530, sections 3 and 4: the digest of the file, and what a client prefers. */
class Rfc9530Section4Test {
    private static final String DIGEST = "sha-256=:" + Plans.DIGEST.base64() + ":";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "sha-256=1",
                "sha-256=10",
                "sha-512=3, sha-256=10, unixsum=0",
                // only others: sent all the same (appendix C.2)
                "sha-512=10",
                "md5=0",
                // the last one counts (RFC 9651, section 3.2)
                "sha-256=0, sha-256=3",
                ""
            })
    void isSentToWhoeverDoesNotRefuseIt(String want) {
        assertThat(digest("Want-Repr-Digest", want)).isEqualTo(DIGEST);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "sha-256=0",
                "sha-256=00",
                "sha-256=-0",
                "sha-512=10, sha-256=0",
                "sha-512=10,sha-256=0\t,  md5=1",
                "  sha-256=0  ",
                "sha-256=5, sha-256=0",
                "sha-256=0;q=1",
                "sha-256=0; a; b=\"x,\\\"y\""
            })
    void isNotSentToWhoRefusesIt(String want) {
        assertThat(digest("Want-Repr-Digest", want)).isNull();
        assertThat(digest("Want-Repr-Digest", want, "Range", "bytes=0-0")).isNull();
        assertThat(digest("Want-Repr-Digest", want, "Range", "bytes=0-0,5-5")).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "sha-256=0,",
                ",sha-256=0",
                "sha-256=0 md5=1",
                "sha-256",
                "sha-256=",
                "sha-256=?0",
                "sha-256=0.0",
                "sha-256=-1",
                "sha-256=11, sha-256=0",
                "sha-256=99999999999999999999",
                "sha-256=:0:",
                "sha-256=\u0660",
                "SHA-256=0",
                "sha-256 = 0",
                "\"sha-256\"=0",
                "sha-256=0, md5=x",
                "sha-256=0;",
                "sha-256=0;a=",
                "sha-256=0;a=\"x",
                "sha-256=0;a=\"\\",
                "\tsha-256=0",
                "="
            })
    void whatIsMalformedIsIgnored(String want) {
        assertThat(digest("Want-Repr-Digest", want)).isEqualTo(DIGEST);
    }

    @Test
    void isThatOfTheFileWhateverPartIsSent() {
        assertThat(digest()).isEqualTo(DIGEST);
        assertThat(digest("Range", "bytes=5-9")).isEqualTo(DIGEST);
        assertThat(digest("Range", "bytes=5-9,0-1")).isEqualTo(DIGEST);
        assertThat(Plans.decide(Plans.head("Range", "bytes=5-9")).header("Repr-Digest"))
                .isEqualTo(DIGEST);
    }

    @Test
    void isNotSentWithAnswersThatAreNotOfTheFile() {
        assertThat(digest("If-None-Match", Plans.ETAG)).isNull();
        assertThat(digest("If-Match", "\"other\"")).isNull();
        assertThat(digest("Range", "bytes=9999999-")).isNull();
    }

    @Test
    void isNotSentWhileNobodyKnowsIt() {
        FileHeaders file = Plans.file(new FileFacts(1, Plans.MODIFIED, Plans.ETAG, null, null));
        assertThat(Plans.decide(Plans.get("Want-Repr-Digest", "sha-256=10"), file)
                        .header("Repr-Digest"))
                .isNull();
    }

    private static @Nullable String digest(String... fields) {
        return Plans.decide(Plans.get(fields)).header("Repr-Digest");
    }
}
