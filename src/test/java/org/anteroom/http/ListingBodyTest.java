package org.anteroom.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.anteroom.archive.ArchiveEntry;
import org.anteroom.archive.FolderPage;
import org.anteroom.metrics.Metrics;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.anteroom.testing.Figures;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A listing asks for a page when the client has taken the last one, and holds no more than what is not written yet. */
class ListingBodyTest {
    private static final int ENTRY = 8;

    private final Metrics metrics = new Metrics();
    private final ListingRoom room = new ListingRoom(200_000, 40_000, metrics);
    private final List<CompletableFuture<FolderPage>> asked = new ArrayList<>();
    private final List<String> after = new ArrayList<>();
    private final List<Integer> most = new ArrayList<>();

    /** Entries of eight bytes each, a byte before and one after them. */
    private static final class Plain implements ListingFormat {
        @Override
        public String contentType() {
            return "text/plain";
        }

        @Override
        public String contentSecurityPolicy() {
            return "default-src 'none'";
        }

        @Override
        public byte[] begin() {
            return new byte[] {'<'};
        }

        @Override
        public byte[] entry(ArchiveEntry entry) {
            return (entry.key() + "\n").getBytes(UTF_8);
        }

        @Override
        public byte[] end(@Nullable String last) {
            return new byte[] {'>'};
        }
    }

    private ListingBody body(boolean whole, ListingRoom.Place place) {
        ListingBody.Pages pages = (key, limit) -> {
            CompletableFuture<FolderPage> page = new CompletableFuture<>();
            asked.add(page);
            after.add(key);
            most.add(limit);
            return page;
        };
        return new ListingBody(pages, entry -> true, new Plain(), whole, "", place);
    }

    private void answer(int page, int from, int count, boolean more) {
        List<ArchiveEntry> entries = IntStream.range(from, from + count)
                .mapToObj(i -> new ArchiveEntry(String.format("n%06d", i), facts()))
                .toList();
        asked.get(page).complete(new FolderPage(entries, more));
    }

    private static org.anteroom.model.FileFacts facts() {
        return new org.anteroom.model.FileFacts(1, null, null, null, null);
    }

    private static int read(ListingBody body, int bytes) throws IOException {
        return body.read(ByteBuffer.allocate(bytes), 0);
    }

    private double held(String format) {
        return Figures.value(metrics, "anteroom_listing_entries", "format", format);
    }

    @Test
    void aPageIsAskedForWhenTheLastOneIsWritten() throws IOException {
        ListingBody body = body(true, room.takeWhole());
        assertThat(asked).isEmpty();
        assertThat(read(body, 100)).isZero();
        assertThat(read(body, 100)).isZero();
        assertThat(asked).hasSize(1);
        answer(0, 0, 200, true);
        assertThat(read(body, 1 + 199 * ENTRY)).isEqualTo(1 + 199 * ENTRY);
        assertThat(asked).as("one entry is still to be written").hasSize(1);
        assertThat(read(body, ENTRY)).isEqualTo(ENTRY);
        assertThat(asked).as("nobody asks for more bytes yet").hasSize(1);
        assertThat(read(body, 1)).isZero();
        assertThat(after).containsExactly("", "n000199");
        assertThat(most).containsExactly(200, 800);
        answer(1, 200, 800, true);
        assertThat(held("html")).isEqualTo(800);
        assertThat(read(body, 100 * ENTRY)).isEqualTo(100 * ENTRY);
        assertThat(held("html")).isEqualTo(700);
        assertThat(read(body, 650 * ENTRY)).isEqualTo(650 * ENTRY);
        assertThat(held("html")).as("as much as the next page takes at least").isEqualTo(200);
        assertThat(read(body, 100 * ENTRY)).isEqualTo(50 * ENTRY);
        assertThat(held("html")).as("room for the page that was asked for").isEqualTo(3200);
        answer(2, 1000, 6, false);
        assertThat(read(body, 2 * ENTRY)).isEqualTo(2 * ENTRY);
        assertThat(held("html")).as("what came, without what is written").isEqualTo(4);
        assertThat(read(body, 100 * ENTRY)).isEqualTo(4 * ENTRY + 1);
        assertThat(held("html")).isZero();
        assertThat(read(body, 100)).isEqualTo(-1);
        assertThat(asked).hasSize(3);
        body.close();
        assertThat(held("html")).isZero();
    }

    @Test
    void aSmallFolderTakesLittleRoom() throws IOException {
        ListingBody body = body(true, room.takeWhole());
        assertThat(read(body, 1)).isZero();
        answer(0, 0, 6, false);
        assertThat(read(body, 1)).isEqualTo(1);
        assertThat(held("html")).isEqualTo(6);
        body.close();
        assertThat(held("html")).isZero();
    }

    @Test
    void aSinglePageIsAskedForOnce() throws IOException {
        ListingBody body = body(false, room.takePage(50));
        assertThat(read(body, 1)).isZero();
        assertThat(most).containsExactly(50);
        answer(0, 0, 50, true);
        assertThat(read(body, 1 + 10 * ENTRY)).isEqualTo(1 + 10 * ENTRY);
        assertThat(held("json")).isEqualTo(40);
        assertThat(read(body, 100 * ENTRY)).isEqualTo(40 * ENTRY + 1);
        assertThat(read(body, 1)).isEqualTo(-1);
        assertThat(asked).hasSize(1);
        assertThat(held("json")).isZero();
    }

    @Test
    void whoLeavesCancelsWhatWasAskedForHim() throws IOException {
        ListingBody body = body(true, room.takeWhole());
        assertThat(read(body, 1)).isZero();
        AtomicInteger woken = new AtomicInteger();
        assertThat(body.await(0, woken::incrementAndGet)).isTrue();
        body.close();
        assertThat(asked.get(0)).isCancelled();
        assertThat(woken).as("nobody is there to go on").hasValue(0);
        assertThat(held("html")).isZero();
        body.close();
        assertThat(held("html")).isZero();
    }

    @Test
    void aPageThatFailsFailsTheBody() throws IOException {
        ListingBody body = body(true, room.takeWhole());
        assertThat(read(body, 1)).isZero();
        AtomicInteger woken = new AtomicInteger();
        assertThat(body.await(0, woken::incrementAndGet)).isTrue();
        asked.get(0).completeExceptionally(new FailureException(FailureReason.ARCHIVE_FAILED, "failed"));
        assertThat(woken).hasValue(1);
        assertThatThrownBy(() -> read(body, 1))
                .isInstanceOfSatisfying(
                        FailureException.class, e -> assertThat(e.reason()).isEqualTo(FailureReason.ARCHIVE_FAILED));
        body.close();
        assertThat(held("html")).isZero();
    }
}
