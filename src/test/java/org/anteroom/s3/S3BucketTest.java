package org.anteroom.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.anteroom.metrics.Metrics;
import org.anteroom.s3.S3Failure.Kind;
import org.anteroom.testing.FakeTicker;
import org.anteroom.testing.S3Forwarder;
import org.anteroom.testing.TestS3;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class S3BucketTest {
    /** The fields by which AWS asks for checksums, or sends them. */
    private static final Pattern AWS_CHECKSUMS =
            Pattern.compile("(?im)^x-amz-(checksum|sdk-checksum|trailer|decoded-content)");

    private static TestS3 server;

    private final FakeTicker ticker = new FakeTicker();
    private S3Forwarder way;
    private S3Clients clients;
    private S3Bucket bucket;

    @BeforeAll
    static void startServer() throws Exception {
        server = TestS3.start();
    }

    @AfterAll
    static void stopServer() throws Exception {
        server.close();
    }

    @BeforeEach
    void connect() throws IOException {
        server.store().clearContainer(TestS3.BUCKET);
        way = S3Forwarder.before(server.port());
        clients = new S3Clients(new Metrics(), ticker);
        bucket = clients.bucket(new S3Location(TestS3.BUCKET, ""), TestS3.settings(way.port()));
    }

    @AfterEach
    void disconnect() throws IOException {
        clients.close();
        way.close();
    }

    private S3Bucket with(Checksums checksums) {
        return clients.bucket(new S3Location(TestS3.BUCKET, ""), TestS3.settings(way.port(), 4, checksums));
    }

    @ParameterizedTest
    @EnumSource(names = {"MD5", "NONE"})
    void objectsAreStoredInAServerThatKnowsNoneOfTheFieldsForChecksums(Checksums checksums) throws IOException {
        way.rule(request -> AWS_CHECKSUMS.matcher(request.head()).find()
                ? S3Forwarder.error(501, "NotImplemented")
                : new S3Forwarder.Pass());
        S3Bucket one = with(checksums);
        byte[] bytes = bytes(300_000);
        one.putSmall("a/b", bytes);
        assertThat(way.requests().get(0).head().contains("Content-MD5: ")).isEqualTo(checksums == Checksums.MD5);
        try (ObjectReader reader = one.open("a/b", null, null, 0)) {
            assertThat(reader.object().size()).isEqualTo(300_000);
            assertThat(read(reader, 0, 300_000)).isEqualTo(bytes);
        }
        assertThat(one.head("a/b", null).size()).isEqualTo(300_000);
        assertThat(one.list("a/", null, "", null, 10).entries()).hasSize(1);
        String upload = one.beginUpload("big");
        String tag = one.sendPart("big", upload, 1, BytesAt.of(bytes), 0, 300_000);
        one.completeUpload("big", upload, List.of(tag));
        one.delete("a/b");
        assertThat(one.readSmall("big", 300_000)).isEqualTo(bytes);
        // asked for in an archive only, and not by who has switched checksums off
        if (checksums == Checksums.NONE) {
            assertThat(one.headWithChecksum("big", null).size()).isEqualTo(300_000);
        } else {
            assertFails(Kind.UNKNOWN_FORM, () -> one.headWithChecksum("big", null));
        }
    }

    /** The tests' server does not know it. */
    @Test
    void formWithTrailersIsRefusedByAServerThatDoesNotKnowItAndNothingIsStored() throws IOException {
        assertFails(Kind.MALFORMED, () -> with(Checksums.CRC32).putSmall("a/b", bytes(300_000)));
        S3Forwarder.Request sent = way.requests().get(0);
        assertThat(sent.head())
                .contains("x-amz-trailer: x-amz-checksum-crc32", "x-amz-decoded-content-length: 300000")
                .doesNotContain("Content-MD5");
        assertFails(Kind.NO_OBJECT, () -> bucket.head("a/b", null));
    }

    @Test
    void serverVerifiesWhatItIsSent() {
        way.rule(request -> new S3Forwarder.Pass());
        BytesAt changing = new BytesAt() {
            private int reads;

            @Override
            public int read(ByteBuffer target, long position) {
                // other bytes at each time that they are read: for the digest, the signature, the body
                target.put((byte) reads++);
                return 1;
            }
        };
        assertThatThrownBy(() -> bucket.put("a", changing, 1)).isInstanceOf(S3Failure.class);
        assertFails(Kind.NO_OBJECT, () -> bucket.head("a", null));
    }

    @Test
    void emptyObject() throws IOException {
        bucket.putSmall("empty", new byte[0]);
        try (ObjectReader reader = bucket.open("empty", null, null, 0)) {
            assertThat(reader.object().size()).isZero();
            assertThat(reader.read(ByteBuffer.allocate(1), 0)).isEqualTo(-1);
        }
        assertThat(bucket.readSmall("empty", 10)).isEmpty();
    }

    @Test
    void whatIsMissingIsToldApart() throws IOException {
        assertFails(Kind.NO_OBJECT, () -> bucket.head("none", null));
        assertFails(Kind.NO_OBJECT, () -> bucket.open("none", null, null, 0));
        S3Bucket none = clients.bucket(new S3Location("no-such-bucket", ""), TestS3.settings(way.port()));
        assertFails(Kind.NO_BUCKET, () -> none.head("none", null));
        assertFails(Kind.NO_BUCKET, () -> none.open("none", null, null, 0));
        assertFails(Kind.NO_BUCKET, () -> none.list("", null, "", null, 10));
        S3Settings right = TestS3.settings(way.port());
        S3Settings wrong = new S3Settings(
                right.endpoint(),
                right.region(),
                true,
                new S3Credentials("local-identity", "wrong"),
                right.checksums(),
                2,
                right.connectTimeout(),
                right.stallTimeout(),
                right.answerTimeout(),
                1);
        S3Bucket forbidden = clients.bucket(new S3Location(TestS3.BUCKET, ""), wrong);
        assertFails(Kind.FORBIDDEN, () -> forbidden.head("none", null));
        assertFails(Kind.FORBIDDEN, () -> forbidden.open("none", null, null, 0));
        assertFails(Kind.FORBIDDEN, () -> forbidden.putSmall("a", new byte[1]));
        // a page of some proxy is no word of the store
        way.rule(request -> new S3Forwarder.Answer(404, "<html>Not here</html>"));
        assertFails(Kind.OTHER, () -> bucket.head("none", null));
        assertFails(Kind.OTHER, () -> bucket.open("none", null, null, 0));
    }

    @Test
    void changedObjectIsNotReadAsTheOldOne() throws IOException {
        bucket.putSmall("a", bytes(1000));
        S3Object old = bucket.head("a", null);
        bucket.putSmall("a", bytes(1001));
        assertFails(Kind.CONDITION, () -> bucket.open("a", null, old.etag(), 0));
    }

    @Test
    void newObjectIsPutOnce() throws IOException {
        bucket.putNew("a", bytes(1));
        assertFails(Kind.CONDITION, () -> bucket.putNew("a", bytes(2)));
        assertThat(bucket.readSmall("a", 10)).isEqualTo(bytes(1));
    }

    @Test
    void newObjectIsPutOnceInAServerWithoutConditionsToo() throws IOException {
        way.rule(request -> request.head().contains("If-None-Match")
                ? S3Forwarder.error(501, "NotImplemented")
                : new S3Forwarder.Pass());
        bucket.putNew("a", bytes(1));
        assertFails(Kind.CONDITION, () -> bucket.putNew("a", bytes(2)));
        assertThat(bucket.readSmall("a", 10)).isEqualTo(bytes(1));
    }

    @Test
    void partsBecomeAnObject() throws IOException {
        byte[] bytes = bytes(11 << 20);
        String upload = bucket.beginUpload("big");
        assertThat(bucket.uploads("big")).containsExactly(upload);
        assertThat(bucket.uploads("bi")).isEmpty();
        List<String> tags = new ArrayList<>();
        tags.add(bucket.sendPart("big", upload, 1, BytesAt.of(bytes), 0, 8 << 20));
        tags.add(bucket.sendPart("big", upload, 2, BytesAt.of(bytes), 8 << 20, 3 << 20));
        bucket.completeUpload("big", upload, tags);
        assertThat(bucket.uploads("big")).isEmpty();
        try (ObjectReader reader = bucket.open("big", null, null, 5_000_000)) {
            assertThat(read(reader, 5_000_000, 6_000_000))
                    .isEqualTo(java.util.Arrays.copyOfRange(bytes, 5_000_000, 11_000_000));
        }
        // the window grows, so that few requests are needed
        assertThat(way.requests().stream()
                        .filter(request -> request.method().equals("GET")
                                && !request.target().contains("uploads")))
                .hasSizeLessThan(8);
        String abandoned = bucket.beginUpload("other");
        assertThat(bucket.abortUpload("other", abandoned)).isTrue();
        assertThat(bucket.uploads("other")).isEmpty();
    }

    /** How much of an object a request asks for. */
    private static int asked(S3Forwarder.Request request) {
        Matcher range = Pattern.compile("(?im)^range: *bytes=([0-9]+)-([0-9]+)").matcher(request.head());
        return range.find() ? Integer.parseInt(range.group(2)) - Integer.parseInt(range.group(1)) + 1 : 0;
    }

    /** Nothing hangs there: bytes flow, and what is asked for at once must not take so long that it looks so. */
    @Test
    void slowStoreIsAskedForLessAtOnce() throws IOException {
        byte[] bytes = bytes(3_000_000);
        bucket.putSmall("a", bytes);
        AtomicLong perSecond = new AtomicLong(50_000);
        List<Long> took = new CopyOnWriteArrayList<>();
        way.rule(request -> {
            long millis = 100 + asked(request) * 1000L / perSecond.get();
            took.add(millis);
            ticker.advance(Duration.ofMillis(millis));
            return new S3Forwarder.Pass();
        });
        try (ObjectReader reader = bucket.open("a", null, null, 0)) {
            assertThat(read(reader, 0, 1_000_000)).isEqualTo(java.util.Arrays.copyOf(bytes, 1_000_000));
        }
        assertThat(took.get(0)).as("before anything is known").isGreaterThan(5_000);
        assertThat(took.subList(1, took.size()))
                .allSatisfy(millis -> assertThat(millis).isLessThan(1_000));
        int before = took.size();
        bucket.open("a", null, null, 0).close();
        assertThat(took.get(before)).as("the next reader knows").isLessThan(1_000);
        // and when the store is fast again
        perSecond.set(1_000_000_000);
        before = took.size();
        try (ObjectReader reader = bucket.open("a", null, null, 0)) {
            assertThat(read(reader, 0, 3_000_000)).isEqualTo(bytes);
        }
        assertThat(took.size() - before).isLessThan(9);
    }

    /** As of a server that makes tags weak, or has none. */
    @Test
    void objectOfTheSameSizeIsToldApartByItsTimeWhereThereIsNoTag() throws IOException {
        AtomicInteger second = new AtomicInteger(10);
        way.rule(request -> new S3Forwarder.Answer(
                206,
                "x".repeat(asked(request)),
                "Content-Range: bytes " + range(request) + "/600000\r\nETag: W/\"a\"\r\n"
                        + "Last-Modified: Mon, 02 Nov 2026 10:00:" + second.get() + " GMT"));
        try (ObjectReader reader = bucket.open("a", null, null, 0)) {
            assertThat(reader.object().etag()).isNull();
            assertThat(read(reader, 300_000, 10)).containsOnly('x');
            second.incrementAndGet();
            assertThat(read(reader, 300_010, 10)).as("of what is there").containsOnly('x');
            assertFails(Kind.CONDITION, () -> reader.read(ByteBuffer.allocate(10), 0));
        }
    }

    private static String range(S3Forwarder.Request request) {
        Matcher range = Pattern.compile("(?im)^range: *bytes=([0-9]+-[0-9]+)").matcher(request.head());
        assertThat(range.find()).isTrue();
        return range.group(1);
    }

    @Test
    void lostAnswersAreAskedForAgain() throws IOException {
        byte[] bytes = bytes(500_000);
        bucket.putSmall("a", bytes);
        AtomicInteger count = new AtomicInteger();
        way.rule(request -> count.getAndIncrement() % 2 == 0 ? new S3Forwarder.Cut(1000) : new S3Forwarder.Pass());
        try (ObjectReader reader = bucket.open("a", null, null, 0)) {
            assertThat(read(reader, 0, 500_000)).isEqualTo(bytes);
        }
        assertThat(count.get()).isEqualTo(4);
        way.rule(request -> request.target().contains("uploadId") && count.getAndIncrement() == 4
                ? new S3Forwarder.LoseAnswer()
                : new S3Forwarder.Pass());
        String upload = bucket.beginUpload("b");
        String tag = bucket.sendPart("b", upload, 1, BytesAt.of(bytes), 0, 1000);
        count.set(4);
        bucket.completeUpload("b", upload, List.of(tag));
        assertThat(bucket.head("b", null).size()).isEqualTo(1000);
    }

    @Test
    void faultsAreToldApart() throws IOException {
        bucket.putSmall("a", bytes(1000));
        way.rule(request -> S3Forwarder.error(503, "SlowDown"));
        assertFails(Kind.SLOW_DOWN, () -> bucket.open("a", null, null, 0));
        assertThat(way.requests()).as("attempts").hasSize(1 + 2);
        way.rule(request -> S3Forwarder.error(500, "InternalError"));
        assertFails(Kind.OTHER, () -> bucket.open("a", null, null, 0));
        way.rule(request -> new S3Forwarder.Reset());
        assertFails(Kind.BROKEN, () -> bucket.open("a", null, null, 0));
        way.rule(request -> new S3Forwarder.Pass());
        assertThat(bucket.readSmall("a", 1000)).isEqualTo(bytes(1000));
    }

    @Test
    void silenceEnds() throws IOException {
        bucket.putSmall("a", bytes(1000));
        int asked = way.requests().size();
        way.rule(request -> new S3Forwarder.Silence());
        S3Settings hasty = TestS3.settings(way.port());
        S3Bucket once = clients.bucket(
                new S3Location(TestS3.BUCKET, ""),
                new S3Settings(
                        hasty.endpoint(),
                        hasty.region(),
                        true,
                        hasty.credentials(),
                        Checksums.NONE,
                        1,
                        hasty.connectTimeout(),
                        Duration.ofMillis(300),
                        hasty.answerTimeout(),
                        3));
        assertFails(Kind.TIMEOUT, () -> once.open("a", null, null, 0));
        assertThat(way.requests()).as("nobody waits for it again").hasSize(asked + 1);
        way.rule(request -> new S3Forwarder.Pass());
        assertThat(once.readSmall("a", 1000)).as("its only connection is free").hasSize(1000);
    }

    /** Some stores put all of an object together before they answer. */
    @Test
    void writerWaitsLongerForTheAnswerThanAReader() throws Exception {
        String upload = bucket.beginUpload("a");
        String tag = bucket.sendPart("a", upload, 1, BytesAt.of(bytes(1000)), 0, 1000);
        CountDownLatch stalled = new CountDownLatch(1);
        way.rule(request -> new S3Forwarder.Late(stalled));
        CompletableFuture<Void> completed = CompletableFuture.runAsync(() -> {
            try {
                bucket.completeUpload("a", upload, List.of(tag));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        // a reader has lost its patience by then
        assertFails(Kind.TIMEOUT, () -> bucket.head("a", null));
        assertThat(completed).isNotDone();
        stalled.countDown();
        completed.get();
        assertThat(bucket.head("a", null).size()).isEqualTo(1000);
    }

    @Test
    void listingIsReadInPages() throws IOException {
        for (int i = 10; i < 25; i++) {
            bucket.putSmall("p/" + i, bytes(i));
        }
        bucket.putSmall("q", bytes(1));
        List<String> keys = new ArrayList<>();
        S3Page page = bucket.list("p/", null, "p/11", null, 4);
        while (true) {
            page.entries().forEach(entry -> keys.add(entry.key()));
            if (page.next() == null) {
                break;
            }
            page = bucket.list("p/", null, "p/11", page.next(), 4);
        }
        assertThat(keys).hasSize(13).startsWith("p/12").endsWith("p/24");
        S3Page folders = bucket.list("", "/", "", null, 10);
        assertThat(folders.entries()).extracting(S3Page.Entry::key).containsExactly("p/", "q");
        assertThat(folders.entries().get(1).object()).isEqualTo(withoutType(bucket.head("q", null)));
    }

    private static S3Object withoutType(S3Object object) {
        return new S3Object(object.size(), object.etag(), object.lastModified(), null, null);
    }

    @Test
    void listingThatIsCutFails() throws IOException {
        for (int i = 10; i < 30; i++) {
            bucket.putSmall("p/" + i, bytes(i));
        }
        int length = 0;
        for (S3Forwarder.Action action : List.of(
                new S3Forwarder.Cut(1500),
                new S3Forwarder.Shorten(1500),
                new S3Forwarder.Shorten(60),
                new S3Forwarder.Shorten(0),
                new S3Forwarder.Answer(200, "<ListBucketResult></ListBucketResult>"),
                new S3Forwarder.Answer(
                        200, "<ListBucketResult><Name>shelf</Name><IsTruncated>true</IsTruncated></ListBucketResult>"),
                listing("p/11", "p/10"),
                listing("p/10", "p/10"),
                listing("other"))) {
            way.rule(request -> action);
            assertThatThrownBy(() -> bucket.list("p/", null, "", null, 1000))
                    .as("%s", action)
                    .isInstanceOf(S3Failure.class);
            length++;
        }
        assertThat(length).isEqualTo(9);
        way.rule(request -> new S3Forwarder.Pass());
        assertThat(bucket.list("p/", null, "", null, 1000).entries()).hasSize(20);
    }

    private static S3Forwarder.Answer listing(String... keys) {
        StringBuilder xml = new StringBuilder("<ListBucketResult><Name>shelf</Name><IsTruncated>false</IsTruncated>");
        for (String key : keys) {
            xml.append("<Contents><Key>").append(key).append("</Key><Size>1</Size></Contents>");
        }
        return new S3Forwarder.Answer(200, xml.append("</ListBucketResult>").toString());
    }

    @Test
    void noThreadIsLeftBehind() throws IOException {
        bucket.putSmall("a", bytes(1000));
        bucket.open("a", null, null, 0).close();
        clients.close();
        assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .noneMatch(name -> name.startsWith("sdk-")
                        || name.startsWith("anteroom-s3")
                        || name.startsWith("idle-connection")
                        || name.contains("response-input-stream"));
        assertFails(Kind.BROKEN, () -> bucket.head("a", null));
    }

    private static byte[] read(ObjectReader reader, long from, int length) throws IOException {
        ByteBuffer all = ByteBuffer.allocate(length);
        while (all.hasRemaining()) {
            assertThat(reader.read(all, from + all.position())).isPositive();
        }
        return all.array();
    }

    private static byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    private static void assertFails(Kind kind, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        S3Failure.class, failure -> assertThat(failure.kind()).isEqualTo(kind));
    }
}
