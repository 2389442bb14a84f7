/**
 * Transactions, the small SQL dialect, migrations, SQLite's single writer, and the figures of the pools.
 *
 * <p>May import: {@code model}, {@code tasks}, {@code metrics}.
 */
@NullMarked
package org.anteroom.jdbc;

import org.jspecify.annotations.NullMarked;
