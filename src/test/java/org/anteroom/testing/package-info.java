/**
 * What runs the application in tests: a real Tomcat to be killed, embedded containers, and bytes on a socket.
 *
 * <p>Nothing here knows the application's classes; it is all configuration and HTTP.
 */
@NullMarked
package org.anteroom.testing;

import org.jspecify.annotations.NullMarked;
