/**
 * The volume that is a directory of a file system.
 *
 * <p>May import: level 0, {@code volume}.
 */
@NullMarked
package org.anteroom.volume.fs;

import org.jspecify.annotations.NullMarked;
