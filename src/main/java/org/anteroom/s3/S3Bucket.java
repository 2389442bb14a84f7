package org.anteroom.s3;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.anteroom.s3.S3Failure.Kind;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.awscore.AwsRequestOverrideConfiguration;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.model.ChecksumMode;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.EncodingType;
import software.amazon.awssdk.services.s3.model.HeadObjectRequest;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.ListMultipartUploadsRequest;
import software.amazon.awssdk.services.s3.model.ListMultipartUploadsResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Request;
import software.amazon.awssdk.services.s3.model.MultipartUpload;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.UploadPartRequest;

/**
 * The objects of one bucket. Every request is bounded in time and read to its end, or broken off, before it returns; failures
 * are {@link S3Failure}.
 */
public final class S3Bucket {
    /** An upload is given a second more for so many bytes. */
    private static final long SLOWEST_UPLOAD = 256 << 10;

    /** Some stores put the parts of a big object together in minutes. */
    private static final Duration LONGEST_COMPLETION = Duration.ofMinutes(5);

    private static final int LARGEST_PAGE = 1000;

    private final S3Link link;
    private final String bucket;
    private final Windows windows;
    private final Pace pace;

    S3Bucket(S3Link link, String bucket, Windows windows) {
        this.link = link;
        this.bucket = bucket;
        this.windows = windows;
        this.pace = windows.pace();
    }

    // ---- reading

    /**
     * What there is to say of an object.
     *
     * @param version null for the newest
     */
    public S3Object head(String key, @Nullable String version) throws IOException {
        return head(key, version, null);
    }

    /** The same with its checksum, if the store keeps one and checksums are not switched off. */
    public S3Object headWithChecksum(String key, @Nullable String version) throws IOException {
        return head(key, version, link.settings().checksums() == Checksums.NONE ? null : ChecksumMode.ENABLED);
    }

    private S3Object head(String key, @Nullable String version, @Nullable ChecksumMode mode) throws IOException {
        try {
            return headOnce(key, version, mode);
        } catch (S3Failure e) {
            if (Failures.isUnexplained(e)) {
                // an answer to HEAD has no body to say what is missing or wrong: the answer to GET has
                read(key, version, null, 0, ByteBuffer.allocate(1));
                throw new S3Failure(Kind.OTHER, "the object store refuses to describe what it gives", e);
            }
            throw e;
        }
    }

    private S3Object headOnce(String key, @Nullable String version, @Nullable ChecksumMode mode) throws IOException {
        HeadObjectRequest request = HeadObjectRequest.builder()
                .bucket(bucket)
                .key(key)
                .versionId(version)
                .checksumMode(mode)
                .build();
        HeadObjectResponse response = link.ask("head", client -> client.headObject(request));
        return Answers.object(response);
    }

    /**
     * Opens an object.
     *
     * @param version null for the newest
     * @param etag what it must be, with quotes; null if that does not matter
     * @param position where reading will begin
     * @throws S3Failure NO_OBJECT if the store says that there is none; CONDITION if it has another tag; BEYOND_END if the
     *     position is at its end or after
     */
    public ObjectReader open(String key, @Nullable String version, @Nullable String etag, long position)
            throws IOException {
        return ObjectReader.open(windows, pace, (target, from) -> read(key, version, etag, from, target), position, 1);
    }

    /** Opens the newest version of an object for several who each read on somewhere else. */
    public ObjectReader openShared(String key, long position) throws IOException {
        int most = Math.max(1, windows.limit() / 2);
        return ObjectReader.open(windows, pace, (target, from) -> read(key, null, null, from, target), position, most);
    }

    /** What a small object holds, up to a length. */
    public byte[] readSmall(String key, int most) throws IOException {
        ByteBuffer target = ByteBuffer.allocate(most);
        read(key, null, null, 0, target);
        byte[] bytes = new byte[target.flip().remaining()];
        target.get(bytes);
        return bytes;
    }

    private ObjectReader.Piece read(
            String key, @Nullable String version, @Nullable String etag, long from, ByteBuffer target)
            throws IOException {
        RangeOfObject range = new RangeOfObject(from, target, etag);
        try {
            return link.ask("read", client -> client.getObject(range.request(bucket, key, version), range));
        } catch (S3Failure e) {
            if (e.kind() == Kind.BEYOND_END && from == 0) {
                // an empty object has no range at all
                S3Object object = headOnce(key, version, null);
                if (object.size() == 0) {
                    return new ObjectReader.Piece(object, 0);
                }
            }
            if (version != null && Failures.isOfVersion(e)) {
                throw new S3Failure(Kind.NO_OBJECT, "the object store has no such version", e);
            }
            throw e;
        }
    }

    /**
     * A page of a listing.
     *
     * @param prefix what the keys begin with
     * @param delimiter keys that have it after the prefix are told as what they have in common up to it; null: all are told
     * @param after the key to go on after: where the listing begins, or the last one of the page before; empty for the first
     * @param next what an earlier page said; null to begin
     * @param limit the most entries; the server may return fewer
     * @throws S3Failure OTHER if the server's answer is not a whole listing in order
     */
    public S3Page list(String prefix, @Nullable String delimiter, String after, @Nullable String next, int limit)
            throws IOException {
        ListObjectsV2Request request = ListObjectsV2Request.builder()
                .bucket(bucket)
                .prefix(prefix)
                .delimiter(delimiter)
                // XML cannot hold every key; the SDK decodes them
                .encodingType(EncodingType.URL)
                .startAfter(after.isEmpty() || next != null ? null : after)
                .continuationToken(next)
                .maxKeys(Math.max(1, Math.min(LARGEST_PAGE, limit)))
                .build();
        S3Page page = Answers.page(link.ask("list", client -> client.listObjectsV2(request)), prefix, after);
        requireProgress(next, page.next());
        return page;
    }

    /** A store that gives the same page again and again would be asked for ever. */
    private static void requireProgress(@Nullable String mark, @Nullable String next) throws S3Failure {
        if (mark != null && mark.equals(next)) {
            throw new S3Failure(Kind.OTHER, "the object store does not go on with a listing", null);
        }
    }

    // ---- writing

    /** Puts a small object. */
    public void putSmall(String key, byte[] bytes) throws IOException {
        put(PutObjectRequest.builder().bucket(bucket).key(key), BytesAt.of(bytes), bytes.length);
    }

    /** Puts an empty object, however many uploads there are: it takes a place among those who read. */
    public void putEmpty(String key) throws IOException {
        Body body = new Body(BytesAt.of(new byte[0]), 0, 0);
        PutObjectRequest request = PutObjectRequest.builder()
                .bucket(bucket)
                .key(key)
                .contentMD5(md5(body))
                .build();
        link.ask("put", client -> client.putObject(request, body.asRequest()));
    }

    /**
     * Puts a small object where there is none.
     *
     * @throws S3Failure CONDITION if there is one, or somebody else puts one at the same time
     */
    public void putNew(String key, byte[] bytes) throws IOException {
        try {
            put(PutObjectRequest.builder().bucket(bucket).key(key).ifNoneMatch("*"), BytesAt.of(bytes), bytes.length);
        } catch (S3Failure e) {
            if (e.kind() != Kind.UNKNOWN_FORM) {
                throw e;
            }
            // a store without conditions: all that can be done is to look first
            if (isThere(key)) {
                throw new S3Failure(Kind.CONDITION, "the object is there already", e);
            }
            putSmall(key, bytes);
        }
    }

    private boolean isThere(String key) throws IOException {
        try {
            head(key, null);
            return true;
        } catch (S3Failure e) {
            if (e.kind() == Kind.NO_OBJECT) {
                return false;
            }
            throw e;
        }
    }

    /** Puts an object. */
    public void put(String key, BytesAt bytes, long length) throws IOException {
        put(PutObjectRequest.builder().bucket(bucket).key(key), bytes, length);
    }

    private void put(PutObjectRequest.Builder request, BytesAt bytes, long length) throws IOException {
        Body body = new Body(bytes, 0, length);
        Duration attempt = attempt(length);
        PutObjectRequest whole = request.contentMD5(md5(body))
                .overrideConfiguration(within(attempt))
                .build();
        link.send("put", attempt, client -> client.putObject(whole, body.asRequest()));
    }

    /** Removes an object; says nothing of whether there was one. */
    public void delete(String key) throws IOException {
        link.ask(
                "delete",
                client -> client.deleteObject(request -> request.bucket(bucket).key(key)));
    }

    /** Begins an object of several parts; its name. */
    public String beginUpload(String key) throws IOException {
        String upload = link.ask(
                        "begin_upload",
                        client -> client.createMultipartUpload(
                                request -> request.bucket(bucket).key(key)))
                .uploadId();
        if (upload == null) {
            throw new S3Failure(Kind.OTHER, "the object store gives an upload no name", null);
        }
        return upload;
    }

    /**
     * Sends a part.
     *
     * @param number from 1
     * @return the tag that the completion names it by
     */
    public String sendPart(String key, String upload, int number, BytesAt bytes, long from, long length)
            throws IOException {
        Body body = new Body(bytes, from, length);
        Duration attempt = attempt(length);
        UploadPartRequest request = UploadPartRequest.builder()
                .bucket(bucket)
                .key(key)
                .uploadId(upload)
                .partNumber(number)
                .contentMD5(md5(body))
                .overrideConfiguration(within(attempt))
                .build();
        RequestBody sent = body.asRequest();
        String tag = link.send("send_part", attempt, client -> client.uploadPart(request, sent))
                .eTag();
        if (tag == null) {
            throw new S3Failure(Kind.OTHER, "the object store gives a part no tag", null);
        }
        return tag;
    }

    private @Nullable String md5(Body body) throws IOException {
        return link.settings().checksums() == Checksums.MD5 ? body.md5() : null;
    }

    /** How long one attempt at an upload may take, and who has no connection for it waits. */
    private Duration attempt(long bytes) {
        return link.settings().answerTimeout().plusSeconds(bytes / SLOWEST_UPLOAD);
    }

    private AwsRequestOverrideConfiguration within(Duration attempt) {
        return AwsRequestOverrideConfiguration.builder()
                .apiCallAttemptTimeout(attempt)
                .apiCallTimeout(link.callTimeout(attempt))
                .build();
    }

    /**
     * Makes an object of its parts. When it cannot be told whether that has been done already, it counts as done: who needs
     * to know asks for the object.
     */
    public void completeUpload(String key, String upload, List<String> tags) throws IOException {
        List<CompletedPart> parts = new ArrayList<>();
        for (String tag : tags) {
            parts.add(CompletedPart.builder()
                    .partNumber(parts.size() + 1)
                    .eTag(tag)
                    .build());
        }
        try {
            link.send(
                    "complete_upload",
                    LONGEST_COMPLETION,
                    client -> client.completeMultipartUpload(request -> request.bucket(bucket)
                            .key(key)
                            .uploadId(upload)
                            .multipartUpload(whole -> whole.parts(parts))
                            .overrideConfiguration(within(LONGEST_COMPLETION))));
        } catch (S3Failure e) {
            if (e.kind() != Kind.NO_UPLOAD && e.kind() != Kind.NO_OBJECT) {
                throw e;
            }
            // an attempt whose answer was lost may have done it
        }
    }

    /** Gives up what was begun; whether it was there. */
    public boolean abortUpload(String key, String upload) throws IOException {
        try {
            link.ask(
                    "abort_upload",
                    client -> client.abortMultipartUpload(
                            request -> request.bucket(bucket).key(key).uploadId(upload)));
            return true;
        } catch (S3Failure e) {
            if (e.kind() == Kind.NO_UPLOAD || e.kind() == Kind.NO_OBJECT) {
                return false;
            }
            throw e;
        }
    }

    /** The unfinished uploads of one key. */
    public List<String> uploads(String key) throws IOException {
        List<String> uploads = new ArrayList<>();
        String keyMarker = null;
        String uploadMarker = null;
        while (true) {
            ListMultipartUploadsRequest request = ListMultipartUploadsRequest.builder()
                    .bucket(bucket)
                    .prefix(key)
                    .keyMarker(keyMarker)
                    .uploadIdMarker(uploadMarker)
                    .build();
            ListMultipartUploadsResponse page =
                    link.ask("list_uploads", client -> client.listMultipartUploads(request));
            for (MultipartUpload upload : page.uploads()) {
                if (key.equals(upload.key()) && upload.uploadId() != null) {
                    uploads.add(upload.uploadId());
                }
            }
            if (!Boolean.TRUE.equals(page.isTruncated())) {
                return uploads;
            }
            requireProgress(keyMarker + '\n' + uploadMarker, page.nextKeyMarker() + '\n' + page.nextUploadIdMarker());
            keyMarker = page.nextKeyMarker();
            uploadMarker = page.nextUploadIdMarker();
            if (keyMarker == null) {
                throw new S3Failure(Kind.OTHER, "the object store broke off its list of uploads", null);
            }
        }
    }
}
