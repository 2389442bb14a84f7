package org.anteroom.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.anteroom.testing.RawHttp;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Many list folders at once, some of them slowly. */
class ListingCrowdIT {
    private static final int SLOW_READERS = 250;

    @TempDir
    Path folder;

    private final List<RawHttp> clients = new ArrayList<>();

    private RawHttp ask(Site site, String target, String... headers) throws IOException {
        RawHttp http = RawHttp.connect(site.uri(), 4096);
        clients.add(http);
        http.request("GET", target, headers);
        return http;
    }

    private void hangUp() throws IOException {
        for (RawHttp http : clients) {
            http.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void whoReadsABigFolderSlowlyKeepsNobodyFromListing(Site.Server server) throws Exception {
        NumberedFolders folders = new NumberedFolders(100_000);
        try (Site site = Site.start(server, folder)) {
            byte[] file = site.put("a.bin", 1000);
            site.archive().listBy(folders);
            site.bufferLittle();
            for (int i = 0; i < SLOW_READERS; i++) {
                assertThat(ask(site, "/files/d/slow/").head().status())
                        .as("reader %s", i)
                        .isEqualTo(200);
            }
            assertThat(RawHttp.get(site.uri(), "/files/d/json/?format=json&limit=1")
                            .text())
                    .contains("n000000");
            assertThat(RawHttp.get(site.uri(), "/files/d/json/?format=json&limit=200")
                            .text())
                    .contains("n000199");
            assertThat(RawHttp.get(site.uri(), "/files/d/html/").text()).endsWith("</html>\n");
            assertThat(RawHttp.get(site.uri(), Site.target("a.bin")).body()).isEqualTo(file);

            assertThat(folders.mostAtOnce()).isLessThanOrEqualTo(4);
            // each holds what it has not written, and at least room for a small page
            String html = "format=\"html\"";
            assertThat(site.figure("anteroom_listing_entries", html))
                    .isBetween(200.0 * SLOW_READERS, site.figure("anteroom_listing_entries_limit", html));
            hangUp();
            Site.await("their room is given back", () -> site.figure("anteroom_listing_entries") == 0);
        } finally {
            hangUp();
        }
    }

    @ParameterizedTest
    @EnumSource
    void listingsThatHangAreRefusedPastABoundAndNoFileWaitsBehindThem(Site.Server server) throws Exception {
        CountDownLatch hanging = new CountDownLatch(4);
        CountDownLatch released = new CountDownLatch(1);
        NumberedFolders folders = new NumberedFolders(10);
        try (Site site = Site.start(server, folder)) {
            byte[] file = site.put("cold.bin", 1000);
            Files.createDirectory(site.archiveFolder().resolve("d/sub"));
            site.archive().listBy((asked, after, limit) -> {
                if (limit > 0) {
                    hanging.countDown();
                    try {
                        if (!released.await(2, TimeUnit.MINUTES)) {
                            throw new IOException("nobody released it");
                        }
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                }
                return folders.list(asked, after, limit);
            });
            for (int i = 0; i < 4 + 100; i++) {
                ask(site, "/files/d/sub/", i % 2 == 0 ? "Accept: text/html" : "Accept: application/json");
            }
            Site.await("all threads for folders hang, and the others wait", () -> {
                return site.figure("anteroom_pool_queue_depth", "pool=\"archive-list\"") == 100;
            });
            assertThat(hanging.await(1, TimeUnit.MINUTES)).isTrue();
            assertThat(site.figure("anteroom_archive_lists_in_use")).isEqualTo(4);

            RawHttp.Response late = RawHttp.get(site.uri(), "/files/d/sub/");
            assertThat(late.status()).isEqualTo(503);
            assertThat(late.header("Retry-After")).hasValue("5");
            assertThat(site.get("cold.bin").body()).isEqualTo(file);
            assertThat(site.get("none").status()).isEqualTo(308);
            assertThat(RawHttp.exchange(site.uri(), "HEAD", "/files/d/sub/").status())
                    .isEqualTo(200);

            released.countDown();
            for (RawHttp client : clients) {
                assertThat(client.response("GET").status()).isEqualTo(200);
            }
            assertThat(folders.mostAtOnce()).isLessThanOrEqualTo(4);
            Site.await("their room is given back", () -> site.figure("anteroom_listing_entries") == 0);
        } finally {
            released.countDown();
            hangUp();
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = FailureReason.class,
            names = {"OVERLOADED", "ARCHIVE_TIMEOUT", "ARCHIVE_FAILED"})
    void whereNobodyCanTellWhetherThereIsAFolderItIsNotMissing(FailureReason reason) throws Exception {
        try (Site site = Site.start(Site.Server.TOMCAT, folder)) {
            site.put("a.bin", 10);
            site.archive().listBy((asked, after, limit) -> {
                throw new FailureException(reason, "The archive is as the test has it.");
            });
            RawHttp.Response answer = site.get("sub");
            assertThat(answer.status())
                    .isEqualTo(
                            switch (reason) {
                                case OVERLOADED -> 503;
                                case ARCHIVE_TIMEOUT -> 504;
                                default -> 502;
                            });
            assertThat(answer.text()).contains("The archive is as the test has it.");
            site.archive().listBy(new NumberedFolders(1));
            assertThat(site.get("sub").status()).as("nothing was remembered").isEqualTo(308);
        }
    }
}
