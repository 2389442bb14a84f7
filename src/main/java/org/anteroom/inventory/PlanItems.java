package org.anteroom.inventory;

import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** What becomes of the items of running plans, within the transactions that change their copies. */
final class PlanItems {

    private record Open(long planId, long position, long size, ItemState state) {}

    private PlanItems() {}

    /** Moves the item whose copy was condemned, if a plan did that; whether there was one in another state. */
    static boolean settle(Handle handle, long copyId, ItemState to, @Nullable String reason) {
        // Also a failed one: what could not be deleted at first may be freed later. Locked, since that is noted without
        // the copy, and an item that is moved from a state that it just left would stay where it is.
        List<Open> items = handle.createQuery("""
                        SELECT plan_id, position, size, state FROM plan_items
                        WHERE copy_id = :copy AND state IN ('condemned', 'failed')
                        ORDER BY plan_id <for_update>""")
                .bind("copy", copyId)
                .map((row, context) -> new Open(
                        row.getLong("plan_id"),
                        row.getLong("position"),
                        row.getLong("size"),
                        ItemState.parse(row.getString("state"))))
                .list();
        boolean moved = false;
        for (Open item : items) {
            if (item.state() != to && move(handle, item.planId(), item.position(), item.state(), to, reason)) {
                tally(handle, item.planId(), item.state(), -1, -item.size());
                tally(handle, item.planId(), to, 1, item.size());
                finish(handle, item.planId());
                moved = true;
            }
        }
        return moved;
    }

    /** Moves one item, without its plan's tallies. */
    static boolean move(
            Handle handle, long planId, long position, ItemState from, ItemState to, @Nullable String reason) {
        return handle.createUpdate("""
                                UPDATE plan_items SET state = :to, reason = :reason
                                WHERE plan_id = :plan AND position = :position AND state = :from""")
                        .bind("to", to.text())
                        .bind("reason", reason)
                        .bind("plan", planId)
                        .bind("position", position)
                        .bind("from", from.text())
                        .execute()
                == 1;
    }

    /** Adds to a plan's tally of the items in a state. */
    static void tally(Handle handle, long planId, ItemState state, long copies, long bytes) {
        String column = state.text();
        handle.createUpdate("UPDATE plans SET %1$s_copies = %1$s_copies + :copies, %1$s_bytes = %1$s_bytes + :bytes"
                                .formatted(column)
                        + " WHERE id = :plan")
                .bind("copies", copies)
                .bind("bytes", bytes)
                .bind("plan", planId)
                .execute();
    }

    /** Ends a running plan that has no open item. */
    static void finish(Handle handle, long planId) {
        handle.createUpdate("""
                        UPDATE plans SET state = 'done', ended = <now>
                        WHERE id = :plan AND state = 'running'
                            AND copies = freed_copies + skipped_copies + failed_copies""").bind("plan", planId).execute();
    }
}
