package org.anteroom.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.anteroom.metrics.Metrics;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.anteroom.testing.Figures;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Room for listings: big pages while there is much of it, small ones for many. */
class ListingRoomTest {
    private final Metrics metrics = new Metrics();
    private final ListingRoom room = new ListingRoom(200_000, 40_000, metrics);

    private double used(String format) {
        return Figures.value(metrics, "anteroom_listing_entries", "format", format);
    }

    private static void assertRefused(ThrowingCallable take) {
        assertThatThrownBy(take)
                .isInstanceOfSatisfying(
                        FailureException.class, e -> assertThat(e.reason()).isEqualTo(FailureReason.OVERLOADED));
    }

    /** The pages that a folder of so many entries is read in. */
    private static List<Integer> pages(ListingRoom.Place place, int entries) {
        List<Integer> pages = new ArrayList<>();
        for (int read = 0; read < entries; read += pages.get(pages.size() - 1)) {
            pages.add(place.nextPage());
            place.keepForMore(0);
        }
        return pages;
    }

    @Test
    void pagesOfAWholeFolderGrow() throws IOException {
        ListingRoom.Place place = room.takeWhole();
        assertThat(used("html")).isEqualTo(200);
        assertThat(pages(place, 100_000))
                .containsExactly(200, 800, 3200, 12_800, 20_000, 20_000, 20_000, 20_000, 20_000);
        assertThat(used("html")).as("as much as the next page takes at least").isEqualTo(200);
        place.keep(0);
        assertThat(used("html")).isZero();
    }

    @Test
    void asEntriesAreWrittenTheirRoomIsGivenBack() throws IOException {
        ListingRoom.Place place = room.takeWhole();
        pages(place, 10_000);
        assertThat(place.nextPage()).isEqualTo(20_000);
        place.keepForMore(15_000);
        assertThat(used("html")).isEqualTo(15_000);
        place.keepForMore(18_000);
        assertThat(used("html")).as("nothing is taken by keeping").isEqualTo(15_000);
        place.keep(6);
        assertThat(used("html")).isEqualTo(6);
    }

    @Test
    void thoseWhoHoldBigPagesKeepNobodyFromBeginning() throws IOException {
        List<ListingRoom.Place> places = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            ListingRoom.Place place = room.takeWhole();
            pages(place, 20_000);
            int page = place.nextPage();
            assertThat(page).isBetween(ListingRoom.LEAST, ListingRoom.MOST);
            assertThat(i > 0 || page == ListingRoom.MOST).isTrue();
            places.add(place);
        }
        assertThat(used("html")).isBetween(150_000.0, 200_000.0);
        assertThat(room.takePage(1000).nextPage()).isEqualTo(1000);
        places.forEach(place -> place.keep(0));
        assertThat(used("html")).isZero();
    }

    @Test
    void whatIsPastTheRoomIsRefused() throws IOException {
        List<ListingRoom.Place> places = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            places.add(room.takeWhole());
        }
        assertRefused(room::takeWhole);
        assertThat(places.get(0).nextPage()).isEqualTo(200);
        assertThat(places.get(0).nextPage()).as("who has begun goes on").isEqualTo(200);
        places.get(0).keep(0);
        places.add(room.takeWhole());
        assertRefused(room::takeWhole);

        for (int i = 0; i < 20; i++) {
            places.add(room.takePage(1000));
        }
        assertRefused(() -> room.takePage(1000));
        assertRefused(() -> room.takePage(201));
        for (int i = 0; i < 100; i++) {
            places.add(room.takePage(200));
        }
        assertRefused(() -> room.takePage(1));
        places.forEach(place -> place.keep(0));
        assertThat(used("html")).isZero();
        assertThat(used("json")).isZero();
        assertThat(Figures.value(metrics, "anteroom_listing_entries_limit", "format", "html"))
                .isEqualTo(200_000);
        assertThat(Figures.value(metrics, "anteroom_listing_entries_limit", "format", "json"))
                .isEqualTo(40_000);
    }
}
