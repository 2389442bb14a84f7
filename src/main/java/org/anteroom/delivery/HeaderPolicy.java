package org.anteroom.delivery;

import org.anteroom.model.FileFacts;
import org.anteroom.model.FileKey;

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

    /** The media type of a file: the archive's word if that is a type, else by the suffix of its name. */
    public String contentType(String name, FileFacts facts) {
        String declared = facts.contentType();
        return declared != null && declared.indexOf('/') > 0 && FileHeaders.isFieldText(declared)
                ? declared
                : contentTypes.of(name);
    }
}
