package org.anteroom.it;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.anteroom.testing.RawHttp;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Datasets with versions: what is asked for without one is the newest, and copies belong to the version that they are of. */
class VersionsIT {
    @TempDir
    Path folder;

    private Site site;

    @BeforeEach
    void start() throws IOException {
        site = started();
        write("d.mbag0_2-0", "one");
        write("d.1_1_0.mbag0_4-1", "two");
    }

    private Site started(String... settings) throws IOException {
        List<String> all = new ArrayList<>(List.of("archive.kind", "bagit", "archive.head-ttl", "1s"));
        all.addAll(List.of(settings));
        return Site.start(Site.Server.TOMCAT, folder, all.toArray(String[]::new));
    }

    @AfterEach
    void stop() throws IOException {
        site.close();
    }

    private void write(String bag, String text) throws IOException {
        Path zip = folder.resolve("draft");
        try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(zip))) {
            out.putNextEntry(new ZipEntry(bag + "/bagit.txt"));
            out.write("BagIt-Version: 1.0\n".getBytes(UTF_8));
            out.putNextEntry(new ZipEntry(bag + "/data/f"));
            out.write(text.getBytes(UTF_8));
            out.putNextEntry(new ZipEntry(bag + "/data/" + text));
            out.write(text.getBytes(UTF_8));
        }
        Files.move(zip, site.archiveFolder().resolve(bag + ".zip"));
    }

    private RawHttp.Response get(String target) throws IOException {
        return RawHttp.get(site.uri(), "/files/d/" + target);
    }

    private void awaitHit(String target, String text) {
        Site.await(target + " is " + text, () -> {
            RawHttp.Response answer = get(target);
            return Site.cacheStatus(answer).equals("anteroom; hit")
                    && answer.text().equals(text);
        });
    }

    private long copies(String objid) {
        return site.row("SELECT COUNT(*) FROM copies WHERE state = 'cached' AND objid = ?", objid)[0];
    }

    @Test
    void copiesBelongToTheirVersion() throws IOException {
        awaitHit("f", "two");
        awaitHit("f?version=1", "one");
        awaitHit("f?version=1.1.0", "two");
        assertThat(copies("d/f")).isZero();
        assertThat(copies("d@1.1/f"))
                .as("with and without a version it is the same copy")
                .isEqualTo(1);
        assertThat(copies("d@1/f")).isEqualTo(1);
        assertThat(get("f?version=3").status()).isEqualTo(404);
        assertThat(get("none").status()).isEqualTo(404);
        assertThat(RawHttp.get(site.uri(), "/files/none/f").status()).isEqualTo(404);
        assertThat(get("?format=json").text()).contains("\"two\"").doesNotContain("\"one\"");
        assertThat(get("?format=json&version=1").text()).contains("\"one\"").doesNotContain("\"two\"");
        assertThat(RawHttp.get(site.uri(), "/files/none/").status()).isEqualTo(404);
    }

    /** However a version is written, its copies are the same ones, also for those who delete them and ask for them. */
    @Test
    void allSpellingsOfAVersionAreOneFile() throws IOException {
        awaitHit("f", "two");
        for (String spelling : new String[] {"1.1", "1.1.0", "01.1", "1.01.0.0.0", "1.1.00"}) {
            RawHttp.Response answer = get("f?version=" + spelling);
            assertThat(answer.text()).isEqualTo("two");
            assertThat(Site.cacheStatus(answer)).as(spelling).isEqualTo("anteroom; hit");
        }
        assertThat(site.row("SELECT COUNT(*) FROM copies")[0]).isEqualTo(1);
        assertThat(get("f?version=1.1.1").status()).isEqualTo(404);
        assertThat(get("f?version=1.1.x").status()).isEqualTo(404);
        assertThat(get("?format=json&version=1.01").text()).contains("\"two\"").doesNotContain("\"one\"");

        assertThat(site.api("GET", "objects/d/f?version=01.1.0", "").text()).contains("\"d@1.1/f\"");
        assertThat(site.api("DELETE", "objects/d/f?version=01.1.0", "").status())
                .isEqualTo(204);
        assertThat(copies("d@1.1/f")).isZero();
        assertThat(site.api("PUT", "objects/d/f?version=1.1.0.0", "").status()).isEqualTo(202);
        Site.await("it is cached again", () -> copies("d@1.1/f") == 1);
        assertThat(site.api("PUT", "objects/d/?version=1.1.0", "").status()).isEqualTo(202);
        Site.await("the other file is cached", () -> copies("d@1.1/two") == 1);
        assertThat(site.row("SELECT COUNT(*) FROM fills WHERE objid NOT LIKE 'd@1.1/%'")[0])
                .isZero();
        assertThat(site.row("SELECT COUNT(*) FROM copies WHERE objid NOT LIKE 'd@1.1/%'")[0])
                .isZero();
    }

    /** A single bag has no version, so that its files have one name each. */
    @Test
    void singleBagHasNoVersions() throws IOException {
        write("s", "single");
        Site.await(
                "it is cached",
                () -> Site.cacheStatus(RawHttp.get(site.uri(), "/files/s/f")).equals("anteroom; hit"));
        for (String version : new String[] {"1", "1.0", "0", "2", "x"}) {
            assertThat(RawHttp.get(site.uri(), "/files/s/f?version=" + version).status())
                    .as(version)
                    .isEqualTo(404);
        }
        assertThat(site.row("SELECT COUNT(*) FROM fills WHERE objid LIKE 's@%'")[0])
                .isZero();
    }

    @Test
    void newVersionTakesTheOldOnesPlaceAndHitsAskNobody() throws IOException {
        awaitHit("f", "two");
        write("d.1_2_0.mbag0_4-2", "three");
        awaitHit("f", "three");
        assertThat(get("f?version=1.1.0").text()).isEqualTo("two");
        assertThat(copies("d@1.1/f")).isEqualTo(1);
        assertThat(copies("d@1.2/f")).isEqualTo(1);
        assertThat(site.row("SELECT COUNT(*) FROM heads WHERE dataset = 'd' AND version = '1.2'")[0])
                .isEqualTo(1);
    }

    @Test
    void hitAsksNeitherTheArchiveNorTheInventoryForTheVersion() throws IOException {
        site.close();
        site = started("archive.head-ttl", "1h", "inventory.location-ttl", "10m", "eviction.grace", "30m");
        awaitHit("f", "two");
        Site.await("the version is kept", () -> site.row("SELECT COUNT(*) FROM heads")[0] == 1);
        double statements = statements();
        for (int i = 0; i < 200; i++) {
            assertThat(Site.cacheStatus(get("f"))).isEqualTo("anteroom; hit");
        }
        assertThat(site.archive().newestAsked()).isEqualTo(1);
        assertThat(statements()).isEqualTo(statements);
    }

    /** Statements that a request may make. */
    private double statements() throws IOException {
        double sum = 0;
        for (String operation : new String[] {"find-head", "put-head", "find-copies", "begin-fill"}) {
            sum += site.figure("anteroom_sql_statements_total", "operation=\"" + operation + '"');
        }
        return sum;
    }

    @Test
    void hitsSurviveTheArchiveAlsoOverARestart() throws IOException {
        awaitHit("f", "two");
        Site.await("the version is kept", () -> site.row("SELECT COUNT(*) FROM heads WHERE version = '1.1'")[0] == 1);
        site.archive().away(true);
        for (int i = 0; i < 3; i++) {
            assertThat(get("f").text()).isEqualTo("two");
        }
        site.close();
        site = started();
        site.archive().away(true);
        awaitHit("f", "two");
        assertThat(RawHttp.get(site.uri(), "/files/other/f").status()).isEqualTo(502);
    }

    @Test
    void objectsOfTheApiAreOfTheNewestVersionAndDeletedInAll() throws IOException {
        assertThat(site.api("PUT", "objects/d/f", "").text()).contains("d@1.1/f");
        awaitHit("f", "two");
        awaitHit("f?version=1", "one");
        assertThat(site.api("GET", "objects/d/f", "").text()).contains("d@1.1/f");
        assertThat(site.api("PUT", "objects/d/", "").status()).isEqualTo(202);
        Site.await("the dataset is cached", () -> copies("d@1.1/two") == 1);
        assertThat(site.api("DELETE", "objects/d/f", "").status()).isEqualTo(204);
        assertThat(copies("d@1.1/f")).isZero();
        assertThat(copies("d@1/f")).isZero();
        assertThat(copies("d@1.1/two")).isEqualTo(1);
        assertThat(site.api("DELETE", "objects/d/nothing", "").status()).isEqualTo(404);
    }
}
