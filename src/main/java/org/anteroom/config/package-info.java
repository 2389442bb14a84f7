/**
 * From JNDI and one properties file to validated settings records.
 *
 * <p>May import: everything but {@code app}; the only place for {@code javax.naming}.
 */
@NullMarked
package org.anteroom.config;

import org.jspecify.annotations.NullMarked;
