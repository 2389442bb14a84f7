/**
 * The whole application in one JVM: a real container, a real SQLite file, real folders, real sockets.
 */
@NullMarked
package org.anteroom.it;

import org.jspecify.annotations.NullMarked;
