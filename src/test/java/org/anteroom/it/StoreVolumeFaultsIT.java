package org.anteroom.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.anteroom.testing.RawHttp;
import org.anteroom.testing.S3Forwarder;
import org.anteroom.testing.TestS3;
import org.jclouds.blobstore.options.ListContainerOptions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the faults of an object store with a volume in it are to clients, to the API and to the metrics, and that they heal. */
@Timeout(300)
class StoreVolumeFaultsIT {
    private static final int MIB = 1 << 20;
    private static final int STEP = 100_000;
    private static final String BYPASS = "anteroom; fwd=bypass; detail=";

    @TempDir
    Path folder;

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Map<String, S3Forwarder> ways = new LinkedHashMap<>();
    private TestS3 server;

    /**
     * What a store does.
     *
     * @param volume whose
     * @param kind what the failure is called in the metrics
     * @param reason what the API says
     */
    private record Fault(String volume, S3Forwarder.Action action, String kind, String reason) {}

    private static final List<Fault> FAULTS = List.of(
            new Fault("cache", new S3Forwarder.Reset(), "broken", "broke off"),
            new Fault("slow", S3Forwarder.error(503, "SlowDown"), "slow_down", "fewer requests"),
            new Fault("ill", S3Forwarder.error(500, "InternalError"), "other", "the object store failed"),
            new Fault("gone", S3Forwarder.error(404, "NoSuchBucket"), "no_bucket", "the bucket does not exist"),
            new Fault("denied", S3Forwarder.error(403, "AccessDenied"), "forbidden", "denies access"),
            new Fault("silent", new S3Forwarder.Silence(), "timeout", "did not answer in time"));

    @BeforeEach
    void startStore() throws Exception {
        server = TestS3.start();
        // where the SDK looks first
        System.setProperty("aws.accessKeyId", TestS3.CREDENTIALS.accessKey());
        System.setProperty("aws.secretAccessKey", TestS3.CREDENTIALS.secretKey());
    }

    @AfterEach
    void stopStore() throws Exception {
        threads.shutdownNow();
        System.clearProperty("aws.accessKeyId");
        System.clearProperty("aws.secretAccessKey");
        for (S3Forwarder way : ways.values()) {
            way.close();
        }
        server.close();
    }

    /** An instance with volumes each of which reaches the store on a way of its own, and takes larger files than the one before. */
    private Site site(List<String> volumes) throws IOException {
        List<String> settings = new ArrayList<>(List.of("volumes", String.join(",", volumes)));
        for (int i = 0; i < volumes.size(); i++) {
            String volume = volumes.get(i);
            S3Forwarder way = S3Forwarder.before(server.port());
            ways.put(volume, way);
            String key = "volume." + volume + ".";
            settings.addAll(List.of(key + "kind", "s3"));
            settings.addAll(List.of(key + "location", "s3://" + TestS3.BUCKET + "/" + volume));
            settings.addAll(List.of(key + "s3.endpoint", "http://127.0.0.1:" + way.port()));
            settings.addAll(List.of(key + "capacity", "1GiB"));
            settings.addAll(List.of(key + "priority", Integer.toString(100 - i)));
            if (volumes.size() > 1) {
                settings.addAll(List.of(key + "max-object-size", Integer.toString((i + 1) * STEP)));
            }
        }
        return Site.start(Site.Server.TOMCAT, folder, settings.toArray(String[]::new));
    }

    private S3Forwarder way(String volume) {
        return Objects.requireNonNull(ways.get(volume));
    }

    private String volume(Site site, String name) throws IOException {
        return site.api("GET", "volumes/" + name, "").text();
    }

    private static double degraded(Site site, String name) throws IOException {
        return site.figure("anteroom_volume_degraded", "volume=\"" + name + "\"");
    }

    private double failures(Site site, Fault fault) throws IOException {
        return site.figure(
                "anteroom_s3_failures_total",
                "store=\"127.0.0.1:" + way(fault.volume).port() + "\"",
                "reason=\"" + fault.kind + "\"");
    }

    @Test
    void storesThatFailCostNoAnswerAndNoCopyAndHeal() throws Exception {
        try (Site site = site(FAULTS.stream().map(Fault::volume).toList())) {
            Map<Fault, byte[]> cached = new LinkedHashMap<>();
            for (Fault fault : FAULTS) {
                byte[] bytes = site.put(fault.volume, (cached.size() + 1) * STEP);
                cached.put(fault, bytes);
                assertThat(site.getHit(fault.volume).body()).isEqualTo(bytes);
                assertThat(site.api("GET", "objects/" + Site.DATASET + "/" + fault.volume, "")
                                .text())
                        .contains("\"volume\":\"" + fault.volume + "\"");
                assertThat(failures(site, fault)).isZero();
            }
            FAULTS.forEach(fault -> way(fault.volume).rule(request -> fault.action));

            Map<Fault, Future<RawHttp.Response>> answers = new LinkedHashMap<>();
            FAULTS.forEach(fault -> answers.put(fault, threads.submit(() -> site.get(fault.volume))));
            for (Fault fault : FAULTS) {
                RawHttp.Response answer =
                        Objects.requireNonNull(answers.get(fault)).get();
                assertThat(answer.body()).as("%s", fault).isEqualTo(cached.get(fault));
                assertThat(Site.cacheStatus(answer)).isEqualTo(BYPASS + "copy-unreadable");
            }
            for (Fault fault : FAULTS) {
                Site.await(
                        "the reason of " + fault,
                        () -> volume(site, fault.volume).contains(fault.reason));
                assertThat(volume(site, fault.volume)).contains("\"health\":\"degraded\"");
                assertThat(degraded(site, fault.volume)).isEqualTo(1);
                assertThat(failures(site, fault)).as("%s", fault).isPositive();
                assertThat(site.rows(fault.volume, "cached"))
                        .as("nothing is removed")
                        .isEqualTo(1);
            }
            byte[] other = site.put("other", 1000);
            RawHttp.Response passed = site.get("other");
            assertThat(passed.body()).isEqualTo(other);
            assertThat(Site.cacheStatus(passed)).isEqualTo(BYPASS + "no-volume");

            FAULTS.forEach(fault -> way(fault.volume).rule(request -> new S3Forwarder.Pass()));
            for (Fault fault : FAULTS) {
                assertThat(site.getHit(fault.volume).body()).isEqualTo(cached.get(fault));
                Site.await(
                        fault.volume + " to be well",
                        () -> volume(site, fault.volume).contains("\"health\":\"ok\""));
                assertThat(degraded(site, fault.volume)).isZero();
            }
            assertThat(site.getHit("other").body()).isEqualTo(other);
        }
    }

    @Test
    void storeThatFailsWhileACopyIsSentCostsTheCopyAndNotTheAnswer() throws Exception {
        try (Site site = site(List.of("cache"))) {
            sendingFails(site, "slow", S3Forwarder.error(503, "SlowDown"), "fewer requests");
        }
    }

    @Test
    @Tag("full")
    void storeThatBreaksOffOrIsSilentWhileACopyIsSentCostsTheCopyAndNotTheAnswer() throws Exception {
        try (Site site = site(List.of("cache"))) {
            sendingFails(site, "reset", new S3Forwarder.Reset(), "broke off");
            sendingFails(site, "silent", new S3Forwarder.Silence(), "did not answer in time");
        }
    }

    /** The first part of two arrives, and what comes after it fails. */
    private void sendingFails(Site site, String name, S3Forwarder.Action action, String reason) throws Exception {
        byte[] bytes = site.put(name, 10 * MIB);
        double failed = site.figure("anteroom_fills_total", "result=\"volume-failed\"");
        way("cache").rule(request -> request.target().contains("partNumber=2") ? action : new S3Forwarder.Pass());
        RawHttp.Response answer = site.get(name);
        assertThat(answer.body()).isEqualTo(bytes);
        Site.await(
                "the copy to be given up",
                () -> site.figure("anteroom_fills_total", "result=\"volume-failed\"") == failed + 1);
        assertThat(volume(site, "cache")).contains(reason);
        Site.await("nothing to be left", () -> isNothingLeft(site));
        way("cache").rule(request -> new S3Forwarder.Pass());
        assertThat(site.getHit(name).body()).isEqualTo(bytes);
        Site.await("the spool to be empty", () -> site.figure("anteroom_spool_bytes") == 0);
        assertThat(site.delete(name)).isTrue();
    }

    private boolean isNothingLeft(Site site) throws IOException {
        return server.store().listMultipartUploads(TestS3.BUCKET).isEmpty()
                && server.store()
                        .list(
                                TestS3.BUCKET,
                                ListContainerOptions.Builder.prefix("cache/tmp/")
                                        .recursive())
                        .isEmpty()
                && site.figure("anteroom_spool_bytes") == 0
                && site.row("SELECT reserved FROM volumes")[0] == 0;
    }
}
