/**
 * The archive that is a prefix of a bucket.
 *
 * <p>May import: level 0, {@code archive}.
 */
@NullMarked
package org.anteroom.archive.s3;

import org.jspecify.annotations.NullMarked;
