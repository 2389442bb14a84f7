/**
 * The words that every part speaks: file keys, object ids, digests, ranges, what an archive says of a file, and why a request fails.
 *
 * <p>May import: nothing of Anteroom.
 */
@NullMarked
package org.anteroom.model;

import org.jspecify.annotations.NullMarked;
