/**
 * The archive that is a folder of BagIt bags (RFC 8493): folders, zip files and uncompressed tar files; single ones, and
 * sequences of the Multibag profile, which have versions.
 *
 * <p>May import: level 0, {@code archive}.
 */
@NullMarked
package org.anteroom.archive.bagit;

import org.jspecify.annotations.NullMarked;
