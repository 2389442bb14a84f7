package org.anteroom.archive.s3;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.benmanes.caffeine.cache.Ticker;
import java.io.IOException;
import java.util.List;
import org.anteroom.archive.ArchiveContract;
import org.anteroom.archive.ArchiveEntry;
import org.anteroom.archive.ArchiveStream;
import org.anteroom.metrics.Metrics;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.anteroom.model.FileFacts;
import org.anteroom.model.FileKey;
import org.anteroom.model.FolderKey;
import org.anteroom.model.Sha256;
import org.anteroom.s3.S3Bucket;
import org.anteroom.s3.S3Clients;
import org.anteroom.s3.S3Location;
import org.anteroom.testing.S3Forwarder;
import org.anteroom.testing.TestS3;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class S3ArchiveTest extends ArchiveContract {
    private static final FileKey FILE = FileKey.of("tides-2024", "a.csv");
    private static TestS3 server;

    private S3Forwarder way;
    private S3Clients clients;
    private S3Bucket bucket;
    private S3Archive archive;

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
        clients = new S3Clients(new Metrics(), Ticker.systemTicker());
        bucket = clients.bucket(new S3Location(TestS3.BUCKET, "deep/"), TestS3.settings(way.port()));
        archive = new S3Archive(bucket, "deep/");
    }

    @AfterEach
    void disconnect() throws IOException {
        clients.close();
        way.close();
    }

    @Override
    protected S3Archive archive() {
        return archive;
    }

    @Override
    protected void put(FileKey key, byte[] bytes) throws IOException {
        bucket.putSmall("deep/" + FileKey.encode(key.dataset()) + '/' + key.path(), bytes);
    }

    @Override
    protected boolean holdsFilesAndFoldersOfOneName() {
        return true;
    }

    /** The tests' server sorts by halves of pairs; stores do by the bytes of UTF-8, as {@link #storesOrderIsKept} has it. */
    @Override
    protected boolean sortsByCodePoints() {
        return false;
    }

    @Test
    void storesOrderIsKept() throws IOException {
        FolderKey folder = new FolderKey("tides-2024", "", null);
        String head =
                "<ListBucketResult><Name>shelf</Name><IsTruncated>false</IsTruncated><EncodingType>url</EncodingType>";
        String tilde = "<Contents><Key>deep/tides-2024/%EF%BD%9E</Key><Size>1</Size><ETag>\"a\"</ETag></Contents>";
        String smile = "<Contents><Key>deep/tides-2024/%F0%9F%98%80</Key><Size>1</Size><ETag>\"b\"</ETag></Contents>";
        String mark = "<Contents><Key>deep/tides-2024/</Key><Size>0</Size><ETag>\"d\"</ETag></Contents>";
        String control = "<Contents><Key>deep/tides-2024/%01</Key><Size>1</Size><ETag>\"c\"</ETag></Contents>";
        String between = "<CommonPrefixes><Prefix>deep/tides-2024/%EF%BD%9E/</Prefix></CommonPrefixes>";
        way.rule(request ->
                new S3Forwarder.Answer(200, head + mark + control + tilde + smile + between + "</ListBucketResult>"));
        assertThat(archive.list(folder, "", 10).entries())
                .extracting(ArchiveEntry::key)
                .containsExactly("\uFF5E", "\uFF5E/", "\uD83D\uDE00");
        assertThat(way.requests().get(0).target()).contains("encoding-type=url");
        way.rule(request -> new S3Forwarder.Answer(200, head + smile + tilde + "</ListBucketResult>"));
        assertFails(FailureReason.ARCHIVE_FAILED, () -> archive.list(folder, "", 10));
    }

    @Test
    void validatorIsTheStoresTag() throws IOException {
        put(FILE, bytes(100));
        FileFacts facts = archive.head(FILE);
        assertThat(facts.etag())
                .isEqualTo(bucket.head("deep/tides-2024/a.csv", null).etag());
        assertThat(facts.etag()).matches("\"[0-9a-f]{32}\"");
        assertThat(facts.lastModified()).isNotNull();
        assertThat(facts.contentType()).isNull();
        assertThat(archive.canSeek(FILE, facts)).isTrue();
    }

    @Test
    void checksumOfTheWholeObjectIsTold() throws IOException {
        String digest = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";
        String answer = "LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=";
        way.rule(request -> new S3Forwarder.Answer(
                200,
                "hello",
                "x-amz-checksum-sha256: " + answer + "\r\nx-amz-checksum-type: FULL_OBJECT\r\nETag: \"tag\""));
        FileFacts facts = archive.head(FILE);
        assertThat(facts.sha256()).isEqualTo(new Sha256(digest));
        assertThat(way.requests().get(0).head()).containsIgnoringCase("x-amz-checksum-mode: ENABLED");
        way.rule(request -> new S3Forwarder.Answer(
                200,
                "hello",
                "x-amz-checksum-sha256: " + answer + "-3\r\nx-amz-checksum-type: COMPOSITE\r\nETag: \"tag\""));
        assertThat(archive.head(FILE).sha256()).isNull();
    }

    @Test
    void versionIsTheObjects() throws IOException {
        put(FILE, bytes(100));
        FileFacts facts = archive.head(FILE);
        FileKey old = new FileKey("tides-2024", "a.csv", "3/L4kqtJ");
        way.rule(request -> request.target().contains("versionId=3%2FL4kqtJ")
                ? new S3Forwarder.Answer(200, "hello", "ETag: \"old\"")
                : new S3Forwarder.Pass());
        assertThat(archive.head(old).size()).isEqualTo(5);
        assertThat(archive.head(FILE)).isEqualTo(facts);
        try (ArchiveStream stream = archive.open(old, archive.head(old), 0)) {
            assertThat(readAll(stream))
                    .asString(java.nio.charset.StandardCharsets.UTF_8)
                    .isEqualTo("hello");
        }
        way.rule(request -> S3Forwarder.error(404, "NoSuchVersion"));
        assertFails(FailureReason.NOT_FOUND, () -> archive.head(old));
        byHeadOnly(400, "InvalidArgument");
        assertFails(FailureReason.NOT_FOUND, () -> archive.head(old));
        assertFails(FailureReason.NOT_FOUND, () -> archive.open(old, facts, 0));
        assertFails(FailureReason.ARCHIVE_FAILED, () -> archive.head(FILE));
        assertFails(FailureReason.ARCHIVE_FAILED, () -> archive.open(FILE, facts, 0));
        // the mark of a deletion is a version, too
        byHeadOnly(405, "MethodNotAllowed");
        assertFails(FailureReason.NOT_FOUND, () -> archive.head(old));
        assertFails(FailureReason.ARCHIVE_FAILED, () -> archive.head(FILE));
        FolderKey folder = new FolderKey("tides-2024", "", "3/L4kqtJ");
        assertFails(FailureReason.NOT_FOUND, () -> archive.list(folder, "", 10));
    }

    /** The answer to HEAD has no body, so that its status is all that it says. */
    private void byHeadOnly(int status, String code) {
        way.rule(request ->
                request.method().equals("HEAD") ? new S3Forwarder.Answer(status, "") : S3Forwarder.error(status, code));
    }

    /** A copy whose version were missing in the archive would be condemned. */
    @Test
    void versionIsNotMissingWhereTheStoreRefusesUs() throws IOException {
        put(FILE, bytes(100));
        FileFacts facts = archive.head(FILE);
        FileKey old = new FileKey("tides-2024", "a.csv", "3/L4kqtJ");
        byHeadOnly(400, "ExpiredToken");
        assertFails(FailureReason.ARCHIVE_REFUSED, () -> archive.head(old));
        assertFails(FailureReason.ARCHIVE_REFUSED, () -> archive.open(old, facts, 0));
        byHeadOnly(400, "InvalidToken");
        assertFails(FailureReason.ARCHIVE_REFUSED, () -> archive.head(old));
        byHeadOnly(400, "AuthorizationHeaderMalformed");
        assertFails(FailureReason.ARCHIVE_FAILED, () -> archive.head(old));
        assertFails(FailureReason.ARCHIVE_FAILED, () -> archive.open(old, facts, 0));
        // nor where it refuses without a word, or to describe what it gives
        for (int status : List.of(400, 405)) {
            way.rule(request -> new S3Forwarder.Answer(status, ""));
            assertFails(FailureReason.ARCHIVE_FAILED, () -> archive.head(old));
            assertFails(FailureReason.ARCHIVE_FAILED, () -> archive.open(old, facts, 0));
            way.rule(request -> request.method().equals("HEAD")
                    ? new S3Forwarder.Answer(status, "")
                    : new S3Forwarder.Answer(200, "hello"));
            assertFails(FailureReason.ARCHIVE_FAILED, () -> archive.head(old));
        }
    }

    @Test
    void changeInMidReadingIsNoticed() throws IOException {
        FileKey key = FileKey.of("tides-2024", "big");
        put(key, bytes(1_000_000));
        FileFacts facts = archive.head(key);
        try (ArchiveStream stream = archive.open(key, facts, 0)) {
            java.nio.ByteBuffer buffer = java.nio.ByteBuffer.allocate(100_000);
            assertThat(stream.read(buffer)).isPositive();
            byte[] other = bytes(1_000_000);
            other[999_999]++;
            put(key, other);
            assertFails(FailureReason.FILE_CHANGED, () -> {
                while (stream.read(buffer.clear()) >= 0) {
                    // on to the change
                }
            });
        }
        assertFails(FailureReason.FILE_CHANGED, () -> archive.open(key, facts, 1_000_000));
    }

    @Test
    void faultsHaveTheirReasons() throws IOException {
        put(FILE, bytes(1000));
        FileFacts facts = archive.head(FILE);
        FolderKey folder = new FolderKey("tides-2024", "", null);
        record Case(S3Forwarder.Action action, FailureReason reason) {}
        for (Case fault : List.of(
                new Case(S3Forwarder.error(404, "NoSuchKey"), FailureReason.NOT_FOUND),
                new Case(S3Forwarder.error(404, "NoSuchBucket"), FailureReason.ARCHIVE_FAILED),
                new Case(S3Forwarder.error(403, "AccessDenied"), FailureReason.ARCHIVE_REFUSED),
                new Case(S3Forwarder.error(412, "PreconditionFailed"), FailureReason.FILE_CHANGED),
                new Case(S3Forwarder.error(503, "SlowDown"), FailureReason.OVERLOADED),
                new Case(S3Forwarder.error(500, "InternalError"), FailureReason.ARCHIVE_FAILED),
                new Case(S3Forwarder.error(400, "RequestTimeout"), FailureReason.ARCHIVE_TIMEOUT),
                new Case(new S3Forwarder.Reset(), FailureReason.ARCHIVE_FAILED),
                new Case(new S3Forwarder.Cut(10), FailureReason.ARCHIVE_FAILED),
                new Case(new S3Forwarder.Shorten(10), FailureReason.ARCHIVE_FAILED))) {
            way.rule(request -> fault.action());
            assertFails(fault.reason(), () -> archive.open(FILE, facts, 0));
        }
        way.rule(request -> S3Forwarder.error(503, "SlowDown"));
        Assertions.assertThatThrownBy(() -> archive.list(folder, "", 10))
                .isInstanceOfSatisfying(FailureException.class, failure -> {
                    assertThat(failure.reason()).isEqualTo(FailureReason.OVERLOADED);
                    assertThat(failure.retryAfter()).isPresent();
                });
        assertFails(FailureReason.OVERLOADED, archive::probe);
        way.rule(request -> new S3Forwarder.Pass());
        assertThat(read(FILE, facts, 0)).isEqualTo(bytes(1000));
        archive.probe();
    }

    @Test
    void listingThatIsCutFails() throws IOException {
        for (int i = 0; i < 20; i++) {
            put(FileKey.of("tides-2024", "file-" + i), bytes(1));
        }
        FolderKey folder = new FolderKey("tides-2024", "", null);
        for (S3Forwarder.Action action :
                List.of(new S3Forwarder.Cut(1500), new S3Forwarder.Shorten(1500), new S3Forwarder.Shorten(0))) {
            way.rule(request -> action);
            assertFails(FailureReason.ARCHIVE_FAILED, () -> archive.list(folder, "", 1000));
        }
    }

    @Test
    void whatCannotBeAskedForIsNotListed() throws IOException {
        for (String key : List.of("", "a//b", "./c", "../d", "good")) {
            // not by the client, whose addresses cannot have all of them
            server.store()
                    .putBlob(
                            TestS3.BUCKET,
                            server.store()
                                    .blobBuilder("deep/tides-2024/" + key)
                                    .payload("x")
                                    .build());
        }
        assertThat(archive.list(new FolderKey("tides-2024", "", null), "", 10).entries())
                .extracting(ArchiveEntry::key)
                .containsExactly("a/", "good");
        assertFails(FailureReason.NOT_FOUND, () -> archive.head(FileKey.of("tides-2024", "x".repeat(1100))));
    }
}
