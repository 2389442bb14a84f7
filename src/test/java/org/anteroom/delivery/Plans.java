package org.anteroom.delivery;

import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import org.anteroom.model.FileFacts;
import org.anteroom.model.FileKey;
import org.anteroom.model.Sha256;
import org.anteroom.testing.PlainHeaders;
import org.jspecify.annotations.Nullable;

/** A file and requests for it, as the tests of this package need them. */
final class Plans {
    static final Instant MODIFIED = Instant.parse("2024-05-06T07:08:09.987654321Z");
    static final String MODIFIED_TEXT = "Mon, 06 May 2024 07:08:09 GMT";
    static final String SECOND_BEFORE = "Mon, 06 May 2024 07:08:08 GMT";
    static final String SECOND_AFTER = "Mon, 06 May 2024 07:08:10 GMT";
    static final InstantSource CLOCK = InstantSource.fixed(Instant.parse("2026-01-01T00:00:00Z"));
    static final String ETAG = "\"a,b\"";
    static final Sha256 DIGEST = Sha256.of(new byte[0]);
    static final long SIZE = 1_048_576;

    private Plans() {}

    static FileFacts facts() {
        return new FileFacts(SIZE, MODIFIED, ETAG, DIGEST, null);
    }

    static FileHeaders file(FileFacts facts) {
        return PlainHeaders.of(FileKey.of("ds", "folder/data.csv"), facts);
    }

    static FileHeaders file() {
        return file(facts());
    }

    /** A GET with fields given as name and value alternately. */
    static FileRequest get(@Nullable String... fields) {
        return request(false, fields);
    }

    static FileRequest head(@Nullable String... fields) {
        return request(true, fields);
    }

    private static FileRequest request(boolean head, @Nullable String... fields) {
        Map<String, String> map = new LinkedHashMap<>();
        for (int i = 0; i < fields.length; i += 2) {
            if (fields[i] != null && fields[i + 1] != null) {
                map.put(fields[i], fields[i + 1]);
            }
        }
        return new FileRequest(
                head,
                false,
                map.get("If-Match"),
                map.get("If-Unmodified-Since"),
                map.get("If-None-Match"),
                map.get("If-Modified-Since"),
                map.get("Range"),
                map.get("If-Range"),
                map.get("Want-Repr-Digest"));
    }

    static ResponsePlan decide(FileRequest request) {
        return decide(request, file());
    }

    static ResponsePlan decide(FileRequest request, FileHeaders file) {
        return ResponsePlan.decide(request, file, CLOCK);
    }

    static Map<String, String> headers(ResponsePlan plan) {
        Map<String, String> headers = new LinkedHashMap<>();
        plan.forEachHeader(headers::put);
        return headers;
    }
}
