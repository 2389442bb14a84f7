package org.anteroom.inventory;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/** The transaction that carries a running plan a step further. */
final class Condemning {

    private record Running(long volumeId, long created) {}

    private record Item(long position, long copyId, long size) {}

    private Condemning() {}

    static Optional<PlanStep> next(Handle handle, Lease lease, long planId, int limit) {
        if (!LeaseStore.held(handle, lease)) {
            return Optional.empty();
        }
        return handle.createQuery("SELECT volume_id, created FROM plans WHERE id = :plan AND state = 'running'")
                .bind("plan", planId)
                .map((row, context) -> new Running(row.getLong("volume_id"), row.getLong("created")))
                .findOne()
                .map(plan -> step(handle, planId, plan, limit));
    }

    private static PlanStep step(Handle handle, long planId, Running plan, int limit) {
        int[] copies = new int[2];
        long[] bytes = new long[2];
        // by the copies' keys, as everybody who changes several copies does
        List<Item> items = pending(handle, planId, limit).stream()
                .sorted(Comparator.comparingLong(Item::copyId))
                .toList();
        for (Item item : items) {
            boolean condemned = condemn(handle, plan, item.copyId());
            ItemState to = condemned ? ItemState.CONDEMNED : ItemState.SKIPPED;
            String reason = condemned ? null : whyNot(handle, plan, item.copyId());
            if (PlanItems.move(handle, planId, item.position(), ItemState.PENDING, to, reason)) {
                copies[condemned ? 0 : 1]++;
                bytes[condemned ? 0 : 1] += item.size();
            }
        }
        PlanItems.tally(handle, planId, ItemState.CONDEMNED, copies[0], bytes[0]);
        PlanItems.tally(handle, planId, ItemState.SKIPPED, copies[1], bytes[1]);
        PlanItems.finish(handle, planId);
        return new PlanStep(copies[0], copies[1], items.size() == limit);
    }

    private static List<Item> pending(Handle handle, long planId, int limit) {
        return handle.createQuery("""
                        SELECT position, copy_id, size FROM plan_items
                        WHERE plan_id = :plan AND state = 'pending' ORDER BY position LIMIT :limit""")
                .bind("plan", planId)
                .bind("limit", limit)
                .map((row, context) -> new Item(row.getLong("position"), row.getLong("copy_id"), row.getLong("size")))
                .list();
    }

    private static boolean condemn(Handle handle, Running plan, long copyId) {
        return handle.createUpdate("""
                                UPDATE copies SET state = 'condemned', condemned_by = 'eviction', since = <now>
                                WHERE id = :copy AND volume_id = :volume AND state = 'cached'
                                    AND NOT EXISTS (SELECT 1 FROM copy_use u
                                        WHERE u.copy_id = copies.id AND u.last_use > :created)""")
                        .bind("copy", copyId)
                        .bind("volume", plan.volumeId())
                        .bind("created", plan.created())
                        .execute()
                == 1;
    }

    private static String whyNot(Handle handle, Running plan, long copyId) {
        return handle.createQuery("""
                        SELECT CASE WHEN state <> 'cached' THEN 'it is ' || state ELSE 'used since the plan was made' END
                        FROM copies WHERE id = :copy AND volume_id = :volume""")
                .bind("copy", copyId)
                .bind("volume", plan.volumeId())
                .mapTo(String.class)
                .findOne()
                .orElse("it is gone");
    }
}
