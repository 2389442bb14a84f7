/**
 * The built WAR in real Tomcat processes, from the outside: HTTP, the console, signals, the disk and the database's file.
 *
 * <p>Nothing here knows the application's classes.
 */
@NullMarked
package org.anteroom.e2e;

import org.jspecify.annotations.NullMarked;
