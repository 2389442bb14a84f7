package org.anteroom.inventory;

/**
 * What one step of a deletion plan did.
 *
 * @param condemned copies that were condemned
 * @param skipped copies that were left alone
 * @param more whether items are left that nobody looked at
 */
public record PlanStep(int condemned, int skipped, boolean more) {}
