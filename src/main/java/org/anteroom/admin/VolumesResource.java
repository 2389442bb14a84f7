package org.anteroom.admin;

import java.io.IOException;
import java.util.Comparator;
import org.anteroom.fill.Caching;
import org.anteroom.http.Page;
import org.anteroom.inventory.VolumeRow;
import org.anteroom.inventory.VolumeStore;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.anteroom.volume.VolumeGuard;
import org.anteroom.volume.VolumeHealth;
import org.jspecify.annotations.Nullable;

/** The volumes: what the inventory knows of them, and how this instance finds them. */
final class VolumesResource {
    private final VolumeStore store;
    private final Caching caching;

    VolumesResource(VolumeStore store, Caching caching) {
        this.store = store;
        this.caching = caching;
    }

    /**
     * A volume.
     *
     * @param owner the only instance that has it, or null for a shared one
     * @param health {@code ok} or {@code degraded}, as this instance finds it
     * @param reason what is wrong, or null
     * @param capacity bytes
     * @param used bytes of copies
     * @param reserved bytes of running fills
     * @param copies copies in whatever state
     */
    record View(
            String name,
            @Nullable String owner,
            String kind,
            String location,
            String status,
            String health,
            @Nullable String reason,
            long capacity,
            long used,
            long reserved,
            long copies) {}

    void list(Call call) throws IOException {
        Page page = call.page("volumes");
        call.json(page.among(store.all().stream().map(this::view).toList(), VolumesResource::identity));
    }

    /** Of several with the same name, the one that this instance has is meant, else the shared one. */
    void get(Call call) throws IOException {
        String name = call.lastSegment();
        VolumeRow row = store.all().stream()
                .filter(volume -> volume.name().equals(name))
                .min(Comparator.comparing((VolumeRow volume) -> caching.volume(volume.id()) == null)
                        .thenComparing(VolumeRow::owner))
                .orElseThrow(() -> new FailureException(FailureReason.NOT_FOUND, "There is no such volume."));
        call.json(view(row));
    }

    private static String identity(View volume) {
        return volume.name() + '/' + (volume.owner() == null ? "" : volume.owner());
    }

    private View view(VolumeRow row) {
        String reason = reason(row.id());
        return new View(
                row.name(),
                row.owner().isEmpty() ? null : row.owner(),
                row.kind(),
                row.location(),
                row.status().text(),
                reason == null ? "ok" : "degraded",
                reason,
                row.capacity(),
                row.used(),
                row.reserved(),
                row.copies());
    }

    /** Why this instance does not read or write a volume as it should, or null. */
    private @Nullable String reason(long id) {
        VolumeGuard guard = caching.volume(id);
        if (guard == null) {
            return caching.isOpen() ? "this instance does not have it" : "this instance has not opened it yet";
        }
        VolumeHealth health = guard.health();
        return health.ok() ? null : health.reason();
    }
}
