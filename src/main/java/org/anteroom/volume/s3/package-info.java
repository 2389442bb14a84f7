/**
 * The volume that is a prefix of a bucket.
 *
 * <p>May import: level 0, {@code volume}.
 */
@NullMarked
package org.anteroom.volume.s3;

import org.jspecify.annotations.NullMarked;
