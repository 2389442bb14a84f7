package org.anteroom.delivery;

import java.time.Instant;
import org.anteroom.model.FileFacts;
import org.jspecify.annotations.Nullable;

/**
 * The header values of one file, made once from what the archive says of it and kept beside its location, so that a hit
 * builds no text.
 *
 * <p>They depend on nothing but the file, so a hit, a miss and a file that is just being filled are answered alike.
 */
public final class FileHeaders {
    private final FileFacts facts;
    private final String contentType;
    private final String cacheControl;
    private final String disposition;
    private final @Nullable String etag;
    private final @Nullable Instant lastModified;
    private final @Nullable String lastModifiedText;
    private final @Nullable String digest;
    private final ResponsePlan plainGet;
    private final ResponsePlan plainHead;

    FileHeaders(String name, FileFacts facts, String contentType, String cacheControl) {
        this.facts = facts;
        this.contentType = contentType;
        this.cacheControl = cacheControl;
        this.disposition = ContentDisposition.attachment(name);
        String tag = facts.etag();
        // a tag that could not come back in a field, or would end the one it is in, is no tag
        this.etag = tag != null && isFieldText(tag) && tag.indexOf('"', 1) == tag.length() - 1 ? tag : null;
        Instant time = facts.lastModified();
        this.lastModifiedText = time == null ? null : HttpDate.format(time);
        this.lastModified =
                time == null || lastModifiedText == null ? null : Instant.ofEpochSecond(time.getEpochSecond());
        this.digest =
                facts.sha256() == null ? null : "sha-256=:" + facts.sha256().base64() + ":";
        this.plainGet = ResponsePlan.whole(this, FileRequest.GET, true);
        this.plainHead = ResponsePlan.whole(this, FileRequest.HEAD, true);
    }

    /** What they were made from. */
    public FileFacts facts() {
        return facts;
    }

    String contentType() {
        return contentType;
    }

    String cacheControl() {
        return cacheControl;
    }

    /** The disposition as an attachment. */
    String disposition() {
        return disposition;
    }

    @Nullable
    String etag() {
        return etag;
    }

    /** The time of the last change in whole seconds. */
    @Nullable
    Instant lastModified() {
        return lastModified;
    }

    @Nullable
    String lastModifiedText() {
        return lastModifiedText;
    }

    /** The {@code Repr-Digest} (RFC 9530, section 3). */
    @Nullable
    String digest() {
        return digest;
    }

    /** The answer to a request that asks for nothing special. */
    ResponsePlan plain(boolean head) {
        return head ? plainHead : plainGet;
    }

    /** Whether a field can carry the text (RFC 9110, section 5.5): no control characters, nothing past Latin-1. */
    static boolean isFieldText(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < 0x20 || c == 0x7f || c > 0xff) {
                return false;
            }
        }
        return true;
    }
}
