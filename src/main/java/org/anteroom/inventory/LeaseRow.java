package org.anteroom.inventory;

import java.time.Instant;

/**
 * A role as the inventory knows it.
 *
 * @param owner who has it, or had it last
 * @param epoch counts the owners that the role has had
 * @param expires when it ends, or ended, unless it is renewed; by the database's clock
 */
public record LeaseRow(Owner owner, long epoch, Instant expires) {}
