/**
 * The archive that is a directory tree: root/encode(id)/path.
 *
 * <p>May import: level 0, {@code archive}.
 */
@NullMarked
package org.anteroom.archive.directory;

import org.jspecify.annotations.NullMarked;
