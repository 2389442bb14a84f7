package org.anteroom.config;

import java.util.Objects;
import org.anteroom.s3.S3Location;
import org.anteroom.s3.S3Settings;

/**
 * A place in an object store, and how that is reached.
 *
 * @param location the bucket and the prefix
 * @param store the store that has the bucket
 */
public record StorePlace(S3Location location, S3Settings store) {

    /** Whether one of two places lies in the other. */
    boolean overlaps(S3Location other, S3Settings otherStore) {
        return Objects.equals(store.endpoint(), otherStore.endpoint())
                && location.bucket().equals(other.bucket())
                && (location.prefix().startsWith(other.prefix())
                        || other.prefix().startsWith(location.prefix()));
    }
}
