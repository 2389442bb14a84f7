package org.anteroom.testing;

import java.util.Map;
import org.anteroom.delivery.FileHeaders;
import org.anteroom.delivery.HeaderPolicy;
import org.anteroom.delivery.HeaderSettings;
import org.anteroom.model.FileFacts;
import org.anteroom.model.FileKey;

/** Headers of files as they are where nothing is configured. */
public final class PlainHeaders {
    /** The policy that makes them. */
    public static final HeaderPolicy POLICY =
            new HeaderPolicy(new HeaderSettings("public, no-cache, no-transform", Map.of()));

    private PlainHeaders() {}

    /** The header values of a file. */
    public static FileHeaders of(FileKey key, FileFacts facts) {
        return POLICY.headers(key, facts);
    }
}
