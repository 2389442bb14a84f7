package org.anteroom.s3;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
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
import org.junit.jupiter.api.Timeout;

/** Answers that a store should not give: each is a failure with its meaning, and nothing else comes out of the client. */
class OddAnswersTest {
    private static TestS3 server;

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
        way = S3Forwarder.before(server.port());
        clients = new S3Clients(new Metrics(), new FakeTicker());
        bucket = clients.bucket(new S3Location(TestS3.BUCKET, ""), TestS3.settings(way.port()));
    }

    @AfterEach
    void disconnect() throws IOException {
        clients.close();
        way.close();
    }

    private void answers(int status, String body, String fields) {
        way.rule(request -> new S3Forwarder.Answer(status, body, fields));
    }

    @Test
    void fieldsThatCannotBeReadAreAFailureOfTheStore() {
        for (String field : List.of(
                "Last-Modified: yesterday",
                "Content-Range: bytes 0-9/99999999999999999999",
                "Content-Range: bytes 0-9/*",
                "Content-Range: bytes 9-0/10",
                "x-amz-mp-parts-count: many",
                "x-amz-object-lock-retain-until-date: never",
                "x-amz-delete-marker: perhaps",
                "x-amz-missing-meta: x")) {
            answers(206, "0123456789", field);
            assertFails(field, Kind.OTHER, () -> bucket.open("a", null, null, 0));
        }
    }

    @Test
    void fieldsOfADescriptionToo() {
        for (String field : List.of(
                "Last-Modified: yesterday",
                "x-amz-mp-parts-count: many",
                "x-amz-object-lock-retain-until-date: never")) {
            answers(200, "0123456789", field);
            assertFails(field, Kind.OTHER, () -> bucket.head("a", null));
        }
    }

    @Test
    void entriesThatCannotBeReadAreAFailureOfTheStore() {
        for (String entry : List.of(
                "<Key>a</Key><Size>big</Size>",
                "<Key>a</Key><Size>1</Size><LastModified>never</LastModified>",
                "<Key>%zz</Key><Size>1</Size>",
                "<Key>a</Key>")) {
            answers(
                    200,
                    "<ListBucketResult><Name>shelf</Name><EncodingType>url</EncodingType><IsTruncated>false</IsTruncated><Contents>"
                            + entry + "</Contents></ListBucketResult>",
                    "");
            assertFails(entry, Kind.OTHER, () -> bucket.list("", null, "", null, 10));
        }
    }

    /** As of a server that does not know what to go on with. */
    @Test
    @Timeout(20)
    void pageThatComesAgainEndsTheListing() {
        String page = "<ListBucketResult><Name>shelf</Name><IsTruncated>true</IsTruncated>"
                + "<NextContinuationToken>%s</NextContinuationToken>%s</ListBucketResult>";
        String entry = "<Contents><Key>a</Key><Size>1</Size></Contents>";
        answers(200, String.format(page, "t", ""), "");
        assertFails("the same mark", Kind.OTHER, () -> bucket.list("", null, "", "t", 10));
        answers(200, String.format(page, "u", entry), "");
        assertFails("the same key", Kind.OTHER, () -> bucket.list("", null, "a", "t", 10));
        answers(
                200,
                "<ListMultipartUploadsResult><Bucket>shelf</Bucket><IsTruncated>true</IsTruncated>"
                        + "<NextKeyMarker>a</NextKeyMarker><NextUploadIdMarker>b</NextUploadIdMarker>"
                        + "</ListMultipartUploadsResult>",
                "");
        assertFails("the same upload", Kind.OTHER, () -> bucket.uploads("a"));
    }

    @Test
    void wantOfCredentialsIsSaid() {
        // so that the chain looks nowhere but in this process
        List<String> names = List.of(
                "aws.accessKeyId",
                "aws.secretAccessKey",
                "aws.disableEc2Metadata",
                "aws.sharedCredentialsFile",
                "aws.configFile");
        Map<String, String> before = new HashMap<>();
        names.forEach(name -> before.put(name, System.getProperty(name)));
        try {
            names.forEach(System::clearProperty);
            System.setProperty("aws.disableEc2Metadata", "true");
            System.setProperty("aws.sharedCredentialsFile", "/none");
            System.setProperty("aws.configFile", "/none");
            S3Settings some = TestS3.settings(way.port());
            S3Bucket without = clients.bucket(
                    new S3Location(TestS3.BUCKET, ""),
                    new S3Settings(
                            some.endpoint(),
                            some.region(),
                            true,
                            null,
                            some.checksums(),
                            1,
                            some.connectTimeout(),
                            some.stallTimeout(),
                            some.answerTimeout(),
                            3));
            assertThatThrownBy(() -> without.head("a", null))
                    .isInstanceOfSatisfying(
                            S3Failure.class,
                            failure -> assertThat(failure.kind()).isEqualTo(Kind.FORBIDDEN))
                    .hasMessageContaining("no credentials");
        } finally {
            before.forEach((name, value) -> {
                if (value == null) {
                    System.clearProperty(name);
                } else {
                    System.setProperty(name, value);
                }
            });
        }
    }

    @Test
    void bytesAreTakenAsTheyAreWhateverTheirCoding() throws IOException {
        answers(206, "0123456789", "Content-Range: bytes 0-9/10\r\nContent-Encoding: gzip\r\nETag: \"a\"");
        assertThat(bucket.readSmall("a", 10)).asString(UTF_8).isEqualTo("0123456789");
    }

    @Test
    void failureInsideOfASuccessIsTriedAgain() throws IOException {
        String upload = bucket.beginUpload("b");
        String tag = bucket.sendPart("b", upload, 1, BytesAt.of(new byte[1000]), 0, 1000);
        AtomicInteger count = new AtomicInteger();
        way.rule(request -> count.getAndIncrement() == 0
                ? new S3Forwarder.Answer(
                        200,
                        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>InternalError</Code><Message>try again</Message></Error>")
                : new S3Forwarder.Pass());
        bucket.completeUpload("b", upload, List.of(tag));
        assertThat(bucket.head("b", null).size()).isEqualTo(1000);
    }

    @Test
    void keysWithAllCharactersAreSignedAndReadAsTheyAre() {
        List<String> wrong = new ArrayList<>();
        for (String key : List.of(
                "a b",
                "a+b",
                "a%2Fb",
                "a%20b",
                "\u00fc/\u00e9",
                "a?b#c",
                "a;b=c&d",
                "a'b\"c",
                "a*(b)!~",
                "a\\b",
                "a:b@c,d$",
                "\uD83D\uDE00",
                "<x>&amp;",
                "[a]{b}|c^`")) {
            try {
                bucket.putSmall(key, key.getBytes(UTF_8));
                boolean right = new String(bucket.readSmall(key, 100), UTF_8).equals(key)
                        && bucket.head(key, null).size() > 0
                        && server.store().blobExists(TestS3.BUCKET, key);
                if (!right) {
                    wrong.add(key);
                }
            } catch (IOException e) {
                wrong.add(key + ": " + e.getMessage());
            }
        }
        assertThat(wrong).isEmpty();
    }

    private static void assertFails(String what, Kind kind, ThrowingCallable call) {
        assertThatThrownBy(call)
                .as(what)
                .isInstanceOfSatisfying(
                        S3Failure.class,
                        failure -> assertThat(failure.kind())
                                .as(what + " " + failure.getMessage() + failure.getCause())
                                .isEqualTo(kind));
    }
}
