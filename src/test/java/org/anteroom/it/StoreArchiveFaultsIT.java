package org.anteroom.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.anteroom.testing.RawHttp;
import org.anteroom.testing.S3Forwarder;
import org.anteroom.testing.TestS3;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What clients get when the archive, an object store, fails: each line of its table in {@code docs/archives.md}. */
@TestInstance(Lifecycle.PER_CLASS)
@Timeout(120)
class StoreArchiveFaultsIT {
    private static final int SIZE = 3_000_000;

    private final AtomicInteger files = new AtomicInteger();
    private TestS3 server;
    private S3Forwarder way;
    private Site site;

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        server = TestS3.start();
        way = S3Forwarder.before(server.port());
        // where the SDK looks first
        System.setProperty("aws.accessKeyId", TestS3.CREDENTIALS.accessKey());
        System.setProperty("aws.secretAccessKey", TestS3.CREDENTIALS.secretKey());
        site = Site.start(
                Site.Server.TOMCAT,
                folder,
                "archive.kind",
                "s3",
                "archive.location",
                "s3://" + TestS3.BUCKET + "/deep",
                "archive.s3.endpoint",
                "http://127.0.0.1:" + way.port(),
                "archive.first-byte-timeout",
                "2s",
                "archive.stall-timeout",
                "2s");
    }

    @AfterAll
    void stop() throws Exception {
        site.close();
        System.clearProperty("aws.accessKeyId");
        System.clearProperty("aws.secretAccessKey");
        way.close();
        server.close();
    }

    /**
     * What the store does, and what comes of it.
     *
     * @param status of the answer to the client
     * @param outcome of the call to the archive, in the metrics
     * @param kind of the store's failure, in the metrics; empty where it is an answer
     */
    private record Fault(String name, S3Forwarder.Action action, int status, String outcome, String kind) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static Fault error(int answer, String code, int status, String outcome, String kind) {
        return new Fault(code, S3Forwarder.error(answer, code), status, outcome, kind);
    }

    static Stream<Fault> faults() {
        return Stream.of(
                error(404, "NoSuchKey", 404, "not_found", ""),
                error(404, "NoSuchBucket", 502, "archive_failed", "no_bucket"),
                error(403, "AccessDenied", 502, "archive_refused", "forbidden"),
                error(500, "InternalError", 502, "archive_failed", "other"),
                error(503, "SlowDown", 503, "overloaded", "slow_down"),
                new Fault("page of a proxy", new S3Forwarder.Answer(404, "<html>"), 502, "archive_failed", "other"),
                new Fault("reset", new S3Forwarder.Reset(), 502, "archive_failed", "broken"),
                new Fault("silence", new S3Forwarder.Silence(), 504, "archive_timeout", "timeout"));
    }

    /** A file that nobody has asked for yet. */
    private String put(byte[] bytes) {
        String name = "f" + files.incrementAndGet();
        server.store()
                .putBlob(
                        TestS3.BUCKET,
                        server.store()
                                .blobBuilder("deep/" + Site.DATASET + "/" + name)
                                .payload(bytes)
                                .build());
        return name;
    }

    private static byte[] bytes(int size) {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        return bytes;
    }

    private double outcomes(String outcome) throws IOException {
        return site.figure("anteroom_archive_calls_total", "outcome=\"" + outcome + "\"");
    }

    private double failures(String kind) throws IOException {
        return site.figure("anteroom_s3_failures_total", "reason=\"" + kind + "\"");
    }

    private void heals(String name, byte[] bytes) {
        way.rule(request -> new S3Forwarder.Pass());
        Site.await("an answer again", () -> site.get(name).status() == 200);
        assertThat(site.getHit(name).body()).isEqualTo(bytes);
    }

    @ParameterizedTest
    @MethodSource("faults")
    void faultHasItsStatusAndItsReasonAndHeals(Fault fault) throws IOException {
        byte[] bytes = bytes(1000);
        String name = put(bytes);
        double outcomes = outcomes(fault.outcome);
        double failures = failures(fault.kind);
        way.rule(request -> fault.action);
        RawHttp.Response answer = site.get(name);
        assertThat(answer.status()).isEqualTo(fault.status);
        assertThat(answer.header("Content-Type")).contains("application/problem+json");
        assertThat(answer.header("Retry-After").isPresent()).isEqualTo(fault.status == 503);
        assertThat(answer.text()).doesNotContain("127.0.0").doesNotContain("Exception");
        assertThat(outcomes(fault.outcome)).isGreaterThan(outcomes);
        if (!fault.kind.isEmpty()) {
            // who waits is told by the gate, a moment before the store's client gives up
            Site.await("the reason in the metrics", () -> failures(fault.kind) > failures);
        }
        assertThat(site.rows(name, "cached")).isZero();
        heals(name, bytes);
    }

    private static boolean isFurtherRange(S3Forwarder.Request request, String name) {
        return request.method().equals("GET")
                && request.target().endsWith("/" + name)
                && !request.head().contains("bytes=0-");
    }

    /** Reading goes on after so many breaks of the store in a row, for which the gate opens the object again so often. */
    private void breaksOff(S3Forwarder.Action action, int times, double resumed) throws IOException {
        byte[] bytes = bytes(SIZE);
        String name = put(bytes);
        double before = site.figure("anteroom_archive_resumed_total");
        AtomicInteger left = new AtomicInteger(times);
        way.rule(request ->
                isFurtherRange(request, name) && left.getAndDecrement() > 0 ? action : new S3Forwarder.Pass());
        RawHttp.Response answer = site.get(name);
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.body()).isEqualTo(bytes);
        assertThat(left.get()).isNotPositive();
        assertThat(site.figure("anteroom_archive_resumed_total")).isEqualTo(before + resumed);
        heals(name, bytes);
    }

    @Test
    void breaksInMidBodyAreGoneOnWith() throws IOException {
        // the store is asked for a range again at once, three times in all; then the gate has it opened at its offset
        breaksOff(new S3Forwarder.Cut(100_000), 1, 0);
        breaksOff(new S3Forwarder.Reset(), 4, 1);
        breaksOff(new S3Forwarder.Silence(), 1, 1);
    }

    /** The store is left alone for some seconds. */
    @Test
    @Tag("full")
    void storeThatIsAskedForTooMuchInMidBodyIsGoneOnWith() throws IOException {
        breaksOff(S3Forwarder.error(503, "SlowDown"), 4, 1);
    }

    @Test
    void objectThatChangesInMidBodyIsABrokenTransferAndReadAnewByTheNext() throws IOException {
        String name = put(bytes(SIZE));
        byte[] other = bytes(SIZE + 1);
        way.rule(request -> {
            if (!isFurtherRange(request, name)) {
                return new S3Forwarder.Pass();
            }
            server.store()
                    .putBlob(
                            TestS3.BUCKET,
                            server.store()
                                    .blobBuilder("deep/" + Site.DATASET + "/" + name)
                                    .payload(other)
                                    .build());
            return new S3Forwarder.Pass();
        });
        Assertions.assertThatThrownBy(() -> site.get(name)).isInstanceOfAny(EOFException.class, SocketException.class);
        heals(name, other);
    }

    /** The next probe has to be waited for. */
    @Test
    @Tag("full")
    void healthTellsThatTheStoreIsAway() throws IOException {
        byte[] bytes = bytes(SIZE);
        String cached = put(bytes);
        heals(cached, bytes);
        way.rule(request -> new S3Forwarder.Reset());
        Site.await(
                "the health says so",
                () -> RawHttp.get(site.uri(), "/health/ready").text().contains("broke off"));
        assertThat(site.getHit(cached).body()).isEqualTo(bytes);
        heals(put(bytes), bytes);
    }
}
