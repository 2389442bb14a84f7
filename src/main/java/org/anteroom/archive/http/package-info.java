/**
 * The archive that is another server, asked over HTTP/1.1. May import the port and level 0; the HTTP client is used here
 * alone.
 */
@NullMarked
package org.anteroom.archive.http;

import org.jspecify.annotations.NullMarked;
