package org.anteroom.inventory;

import org.jspecify.annotations.Nullable;

/**
 * One copy in a deletion plan.
 *
 * @param position its rank, from 1
 * @param reason why it was skipped or failed, else null
 */
public record PlanItem(
        long planId,
        long position,
        long copyId,
        String objid,
        long size,
        ItemState state,
        @Nullable String reason) {}
