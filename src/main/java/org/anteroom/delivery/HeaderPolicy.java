package org.anteroom.delivery;

import java.time.Instant;
import java.time.InstantSource;
import org.anteroom.model.FileFacts;
import org.anteroom.model.FileKey;
import org.jspecify.annotations.Nullable;

/** Makes the headers of files: what is the same for all of them is here. */
public final class HeaderPolicy {
    private final String cacheControl;
    private final ContentTypes contentTypes;

    /** A policy as configured. */
    public HeaderPolicy(HeaderSettings settings) {
        this.cacheControl = settings.cacheControl();
        this.contentTypes = new ContentTypes(settings.contentTypes());
    }

    /** The header values of a file. */
    public FileHeaders headers(FileKey key, FileFacts facts) {
        String name = key.path().substring(key.path().lastIndexOf('/') + 1);
        return new FileHeaders(name, facts, contentType(name, facts), cacheControl);
    }

    /** A file's last change as its own answer tells it, if it does; to the nanosecond. */
    public @Nullable Instant lastModified(FileFacts facts, InstantSource clock) {
        Instant time = facts.lastModified();
        return time != null && HttpDate.canExpress(time) && ResponsePlan.isOver(time, clock) ? time : null;
    }

    /** The media type of a file: the archive's word if that is a type, else by the suffix of its name. */
    public String contentType(String name, FileFacts facts) {
        String declared = facts.contentType();
        return declared != null && declared.indexOf('/') > 0 && FileHeaders.isFieldText(declared)
                ? declared
                : contentTypes.of(name);
    }
}
