package org.anteroom.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import org.anteroom.model.FileFacts;
import org.junit.jupiter.api.Test;

/** The headers of each kind of answer. */
class ResponsePlanTest {

    @Test
    void aPlainGetHasEveryHeaderOnce() {
        ResponsePlan plan = Plans.decide(FileRequest.GET);
        assertThat(plan.status()).isEqualTo(200);
        assertThat(plan.sendsBody()).isTrue();
        assertThat(plan.offset()).isZero();
        assertThat(plan.contentLength()).isEqualTo(Plans.SIZE);
        assertThat(Plans.headers(plan))
                .containsExactly(
                        entry("Accept-Ranges", "bytes"),
                        entry("ETag", "\"a,b\""),
                        entry("Last-Modified", "Mon, 06 May 2024 07:08:09 GMT"),
                        entry("Content-Type", "text/csv"),
                        entry("Content-Disposition", "attachment; filename=\"data.csv\""),
                        // RFC 9530, section 3: the digest of the empty text
                        entry("Repr-Digest", "sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:"),
                        entry("Cache-Control", "public, no-cache, no-transform"),
                        entry("X-Content-Type-Options", "nosniff"));
    }

    @Test
    void headHasTheHeadersOfGet() {
        ResponsePlan plan = Plans.decide(FileRequest.HEAD);
        assertThat(Plans.headers(plan)).isEqualTo(Plans.headers(Plans.decide(FileRequest.GET)));
        assertThat(plan.contentLength()).isEqualTo(Plans.SIZE);
        assertThat(plan.sendsBody()).isFalse();
    }

    @Test
    void aPartHasTheHeadersOfTheWholeAndItsRange() {
        var whole = Plans.headers(Plans.decide(FileRequest.GET));
        var part = Plans.headers(Plans.decide(Plans.get("Range", "bytes=0-16384")));
        assertThat(part).containsAllEntriesOf(whole).containsEntry("Content-Range", "bytes 0-16384/1048576");
        assertThat(part).hasSize(whole.size() + 1);
    }

    @Test
    void notModifiedGuidesCachesAndSaysNoMore() {
        ResponsePlan plan = Plans.decide(Plans.get("If-None-Match", Plans.ETAG));
        assertThat(plan.contentLength()).isEqualTo(ResponsePlan.NO_LENGTH);
        assertThat(plan.sendsBody()).isFalse();
        assertThat(Plans.headers(plan))
                .containsExactly(entry("Cache-Control", "public, no-cache, no-transform"), entry("ETag", Plans.ETAG));
    }

    @Test
    void notModifiedHasTheDateWhereThereIsNoTag() {
        FileHeaders file = Plans.file(new FileFacts(1, Plans.MODIFIED, null, null, null));
        ResponsePlan plan = Plans.decide(Plans.get("If-Modified-Since", Plans.MODIFIED_TEXT), file);
        assertThat(Plans.headers(plan))
                .containsExactly(
                        entry("Cache-Control", "public, no-cache, no-transform"),
                        entry("Last-Modified", Plans.MODIFIED_TEXT));
    }

    @Test
    void whatIsLookedAtIsKeptInASandbox() {
        ResponsePlan plan = Plans.decide(new FileRequest(false, true, null, null, null, null, null, null, null));
        assertThat(plan.header("content-disposition")).isEqualTo("inline; filename=\"data.csv\"");
        assertThat(plan.header("Content-Security-Policy")).contains("sandbox").contains("default-src 'none'");
        assertThat(plan.header("X-Content-Type-Options")).isEqualTo("nosniff");
    }

    @Test
    void anEmptyFileHasALength() {
        ResponsePlan plan = Plans.decide(FileRequest.GET, Plans.file(new FileFacts(0, null, null, null, null)));
        assertThat(plan.status()).isEqualTo(200);
        assertThat(plan.contentLength()).isZero();
    }

    @Test
    void thePlanOfAPlainRequestIsMadeOncePerFile() {
        FileHeaders file = Plans.file();
        assertThat(Plans.decide(Plans.get(), file)).isSameAs(Plans.decide(FileRequest.GET, file));
        assertThat(Plans.decide(Plans.head(), file)).isSameAs(Plans.decide(FileRequest.HEAD, file));
    }
}
