package org.anteroom.http;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.anteroom.archive.ArchiveEntry;
import org.anteroom.archive.ArchiveGate;
import org.anteroom.archive.FolderPage;
import org.anteroom.delivery.FileRequest;
import org.anteroom.delivery.Preconditions;
import org.anteroom.jdbc.DatabaseException;
import org.anteroom.model.FileFacts;
import org.anteroom.model.FileKey;
import org.anteroom.model.FolderKey;
import org.anteroom.model.Sha256;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The way of a request for a folder: pages of the archive's listing, written as HTML or JSON while they come.
 *
 * <p>A folder as HTML is written whole, one as JSON a page at a time. Checksums that the archive does not tell come from the
 * inventory, for JSON alone: one statement for each page, and none if the inventory does not answer in time.
 */
public final class ListingService {
    private static final Logger log = LoggerFactory.getLogger(ListingService.class);

    private static final String LIST = "folder";

    /** Room for whole folders: as many may begin as the archive lets go on. */
    private static final int WHOLE_ENTRIES = ArchiveGate.MOST_LISTINGS * ListingRoom.LEAST;

    private static final int SINGLE_ENTRIES = 40_000;

    private final FileService files;
    private final ListingRoom room;

    /** A service beside the one for files, whose threads and transfers it uses. */
    public ListingService(FileService files) {
        this.files = files;
        this.room = new ListingRoom(WHOLE_ENTRIES, SINGLE_ENTRIES, files.tasks.metrics());
    }

    /** Serves a GET or HEAD for a folder. */
    void serve(HttpServletRequest request, HttpServletResponse response, FolderKey folder) throws IOException {
        files.requireAccepting();
        String query = request.getQueryString() == null ? "" : request.getQueryString();
        boolean json = isJson(RawQuery.value(query, "format"), FileRequests.field(request, "Accept"));
        Page page = json ? Page.of(LIST, RawQuery.value(query, "limit"), RawQuery.value(query, "after")) : null;
        String version = folder.version() == null ? "" : "?version=" + UriText.encode(folder.version());
        ListingFormat format = page == null
                ? new HtmlListing(folder, version, this::lastModified)
                : new JsonListing(page, version, files.policy, this::lastModified);
        FileRequest asked = FileRequests.of(request, false);
        Preconditions.Outcome outcome = Preconditions.withoutValidators(asked);
        if (asked.head() || outcome != Preconditions.Outcome.PROCEED) {
            new ListingExchange(files, request, response, folder, format)
                    .answerWithoutBody(files.archive.folder(folder), outcome);
            return;
        }
        // all pages are of the version that is the newest now
        CompletableFuture<FolderKey> resolved = files.heads.lookup(folder);
        ListingRoom.Place place = page == null ? room.takeWhole() : room.takePage(page.limit());
        ListingBody body = new ListingBody(
                page == null ? pages(resolved) : (after, most) -> page(resolved, after, most),
                entry -> isReachable(folder, entry),
                format,
                page == null,
                page == null ? "" : page.after(),
                place);
        try {
            new ListingExchange(files, request, response, folder, format).send(body);
        } catch (IOException | RuntimeException | Error e) {
            body.close();
            throw e;
        }
    }

    private static boolean isJson(@Nullable String format, @Nullable String accept) throws IOException {
        if (format == null) {
            return Accept.prefersJson(accept);
        }
        return switch (format) {
            case "json" -> true;
            case "html" -> false;
            default -> throw RawPath.malformed("The format is html or json.");
        };
    }

    private ListingBody.Pages pages(CompletableFuture<FolderKey> resolved) {
        return (after, most) -> {
            FolderKey known = known(resolved);
            if (known == null) {
                return resolved.thenCompose(folder -> files.archive.list(folder, after, most));
            }
            return after.isEmpty() ? files.archive.list(known, after, most) : files.archive.listOn(known, after, most);
        };
    }

    private static @Nullable FolderKey known(CompletableFuture<FolderKey> resolved) {
        return resolved.isDone() && !resolved.isCompletedExceptionally() ? resolved.join() : null;
    }

    private CompletableFuture<FolderPage> page(CompletableFuture<FolderKey> resolved, String after, int limit) {
        FolderKey known = known(resolved);
        return known == null ? resolved.thenCompose(folder -> page(folder, after, limit)) : page(known, after, limit);
    }

    private CompletableFuture<FolderPage> page(FolderKey folder, String after, int limit) {
        CompletableFuture<FolderPage> page = files.archive.list(folder, after, limit);
        CompletableFuture<FolderPage> complete = page.thenCompose(found -> {
            Map<String, Integer> asked = withoutChecksum(folder, found.entries());
            if (asked.isEmpty()) {
                return CompletableFuture.completedFuture(found);
            }
            try {
                return CompletableFuture.supplyAsync(() -> completed(found, asked), files.misses);
            } catch (RejectedExecutionException | OutOfMemoryError e) {
                return CompletableFuture.completedFuture(found);
            }
        });
        var unused = complete.whenComplete((found, failure) -> page.cancel(false));
        return complete;
    }

    private @Nullable Instant lastModified(FileFacts facts) {
        return files.policy.lastModified(facts, files.clock());
    }

    /** Where the files whose checksum the archive does not tell stand, by objid. */
    private static Map<String, Integer> withoutChecksum(FolderKey folder, List<ArchiveEntry> entries) {
        Map<String, Integer> asked = new java.util.LinkedHashMap<>();
        for (int i = 0; i < entries.size(); i++) {
            FileFacts facts = entries.get(i).facts();
            if (facts != null && facts.sha256() == null) {
                asked.put(folder.file(entries.get(i).name()).objid(), i);
            }
        }
        return asked;
    }

    /** The page with the checksums of those copies that are of the same content. */
    private FolderPage completed(FolderPage page, Map<String, Integer> asked) {
        Map<String, FileFacts> known;
        try {
            known = files.copies.checksummed(asked.keySet(), files.lookupTimeout);
        } catch (DatabaseException e) {
            log.debug("a listing goes without checksums: {}", e.getMessage());
            return page;
        }
        List<ArchiveEntry> entries = new ArrayList<>(page.entries());
        known.forEach((objid, copy) -> {
            int at = asked.getOrDefault(objid, -1);
            ArchiveEntry entry = entries.get(at);
            FileFacts facts = entry.facts();
            Sha256 sha256 = copy.sha256();
            if (facts != null && sha256 != null && facts.sameContent(copy)) {
                entries.set(at, new ArchiveEntry(entry.name(), facts.withSha256(sha256)));
            }
        });
        return new FolderPage(entries, page.more());
    }

    /** Whether an address can name the entry; an archive may hold others. */
    private static boolean isReachable(FolderKey folder, ArchiveEntry entry) {
        return RawPath.reaches(entry.name())
                && folder.file(entry.name()).objid().getBytes(StandardCharsets.UTF_8).length <= FileKey.MAX_OBJID_BYTES;
    }
}
