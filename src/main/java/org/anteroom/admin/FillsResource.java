package org.anteroom.admin;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.anteroom.fill.Caching;
import org.anteroom.http.Page;
import org.anteroom.inventory.FillQueue;
import org.anteroom.inventory.FillRow;
import org.anteroom.inventory.FillState;
import org.anteroom.inventory.FillStore;
import org.anteroom.inventory.VolumeRow;
import org.anteroom.inventory.VolumeStore;
import org.anteroom.jdbc.DatabaseException;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.jspecify.annotations.Nullable;

/** The fills of the fleet: the queue, what runs, and what has ended lately. */
final class FillsResource {
    private final FillStore fills;
    private final FillQueue queue;
    private final VolumeStore volumes;
    private final Caching caching;

    FillsResource(FillStore fills, FillQueue queue, VolumeStore volumes, Caching caching) {
        this.fills = fills;
        this.queue = queue;
        this.volumes = volumes;
        this.caching = caching;
    }

    /** Newest first; with a prefix, by objid and then by age. */
    void list(Call call) throws IOException {
        FillState state = state(call.parameter("state"));
        String prefix = Objects.requireNonNullElse(call.parameter("prefix"), "");
        if (prefix.isEmpty()) {
            Page page = call.page("fills");
            long before = page.after().isEmpty() ? Long.MAX_VALUE : number(page.after());
            List<FillRow> rows = fills.list(state, before, page.limit() + 1);
            call.json(page.of(views(rows), view -> Long.toString(view.id())));
            return;
        }
        Page page = call.page("fills-by-name");
        int slash = page.after().indexOf('/');
        String after = page.after().substring(slash + 1);
        long id = slash < 0 ? 0 : number(page.after().substring(0, slash));
        List<FillRow> rows = queue.list(state, prefix, after, id, page.limit() + 1);
        call.json(page.of(views(rows), view -> view.id() + "/" + view.objid()));
    }

    void get(Call call) throws IOException {
        FillRow row = queue.get(id(call)).orElseThrow(FillsResource::unknown);
        call.json(views(List.of(row)).get(0));
    }

    /** Ends a fill that is queued or runs; it stays in the list as failed. Forgets one that has ended. */
    void delete(Call call) throws IOException {
        long id = id(call);
        FillRow row = queue.get(id).orElseThrow(FillsResource::unknown);
        if (fills.cancel(id)) {
            caching.cancel(id);
            call.did("ended the fill of " + row.objid());
            call.noContent();
            return;
        }
        switch (queue.drop(id)) {
            case YES -> {
                call.did("forgot the fill of " + row.objid());
                call.noContent();
            }
            case NOT_YET ->
                throw new FailureException(
                        FailureReason.CONFLICT, "What this fill has left in its volume is not removed yet.");
            case UNKNOWN -> throw unknown();
        }
    }

    private List<FillView> views(List<FillRow> rows) throws DatabaseException {
        if (rows.isEmpty()) {
            return List.of();
        }
        Map<Long, String> names = names(volumes);
        Map<Long, Long> progress = caching.progress();
        return rows.stream().map(row -> FillView.of(row, names, progress)).toList();
    }

    /** The names of all volumes, by their ids. */
    static Map<Long, String> names(VolumeStore volumes) throws DatabaseException {
        return volumes.all().stream().collect(Collectors.toMap(VolumeRow::id, VolumeRow::name));
    }

    private static @Nullable FillState state(@Nullable String text) throws FailureException {
        if (text == null || text.isEmpty()) {
            return null;
        }
        try {
            return FillState.parse(text);
        } catch (IllegalArgumentException e) {
            throw new FailureException(FailureReason.MALFORMED, "The state is queued, running, done or failed.", e);
        }
    }

    private static long id(Call call) throws FailureException {
        String text = call.lastSegment();
        if (!text.matches("[0-9]{1,18}")) {
            throw unknown();
        }
        return Long.parseLong(text);
    }

    private static long number(String text) throws FailureException {
        if (!text.matches("[0-9]{1,18}")) {
            throw new FailureException(FailureReason.MALFORMED, "The value of after is none that this list gave out.");
        }
        return Long.parseLong(text);
    }

    private static FailureException unknown() {
        return new FailureException(FailureReason.NOT_FOUND, "There is no such fill.");
    }
}
