package org.anteroom.archive.http;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Ticker;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.anteroom.archive.Archive;
import org.anteroom.archive.ArchiveStream;
import org.anteroom.archive.OpenedFile;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.anteroom.model.FileFacts;
import org.anteroom.model.FileKey;
import org.anteroom.tasks.Tasks;
import org.apache.hc.client5.http.utils.DateUtils;

/**
 * The archive that is another server, over HTTP/1.1 (RFC 9110, RFC 9112): a file is what GET answers at
 * {@link Addresses#of}.
 *
 * <p>A file is read only while it is the one that was asked about: the request says so ({@code If-Match}, or {@code
 * If-Unmodified-Since} where the server has no strong tag), and the answer's own fields are compared, since not all servers
 * heed those. {@code If-Range} is not sent: an answer to it may leave out what is to be compared.
 *
 * <p>There are no versions and no listings.
 */
public final class HttpArchive implements Archive {
    /** How much of a file is read over where a server gives it only from its beginning. */
    static final long MOST_SKIPPED = 64L << 20;

    private static final Duration WATCH_PERIOD = Duration.ofMillis(200);
    private static final int REMEMBERED = 10_000;
    private static final Duration REMEMBERED_FOR = Duration.ofHours(1);

    private final Addresses addresses;
    private final HttpArchiveSettings settings;
    private final Connections connections;
    private final Upstream upstream;
    /** Files that the server gives from their beginning alone. */
    private final Cache<FileKey, Boolean> unseekable;

    /** An archive that may be away; nothing is asked yet. */
    public HttpArchive(HttpArchiveSettings settings, Tasks tasks, Ticker ticker) {
        this.settings = settings;
        this.addresses = new Addresses(settings.location());
        this.connections = new Connections(settings.connections());
        this.upstream = new Upstream(settings, addresses, connections, ticker);
        this.unseekable = Caffeine.newBuilder()
                .maximumSize(REMEMBERED)
                .expireAfterWrite(REMEMBERED_FOR)
                .ticker(ticker)
                .executor(Runnable::run)
                .build();
        tasks.everyToTheEnd("archive-http", WATCH_PERIOD, upstream::watch);
    }

    @Override
    public FileFacts head(FileKey key) throws IOException {
        URI address = address(key);
        Reply reply = upstream.ask("HEAD", address, Map.of());
        try {
            return switch (reply.status()) {
                case 200 -> told(key, reply, ToldFacts.length(reply));
                case 405, 501 -> headByGet(key, address);
                default -> throw Failures.of(reply);
            };
        } finally {
            reply.close();
        }
    }

    /** Asks for the first byte where HEAD is not known. */
    private FileFacts headByGet(FileKey key, URI address) throws IOException {
        Reply reply = upstream.ask("GET", address, Map.of("Range", "bytes=0-0"));
        try {
            ToldFacts.requireIdentity(reply);
            ContentRange range = ContentRange.parse(reply.field("Content-Range"));
            return switch (reply.status()) {
                case 200 -> told(key, reply, ToldFacts.length(reply));
                case 206 -> {
                    if (range == null || range.first() != 0) {
                        throw Failures.senseless("Content-Range: " + reply.field("Content-Range"));
                    }
                    yield told(key, reply, range.size());
                }
                case 416 -> {
                    if (range == null || range.size() != 0) {
                        throw Failures.senseless("status 416 to the first byte");
                    }
                    yield told(key, reply, 0);
                }
                default -> throw Failures.of(reply);
            };
        } finally {
            reply.close();
        }
    }

    private FileFacts told(FileKey key, Reply reply, long size) {
        if ("none".equalsIgnoreCase(reply.field("Accept-Ranges"))) {
            unseekable.put(key, true);
        }
        return ToldFacts.of(reply, size);
    }

    @Override
    public OpenedFile openNew(FileKey key) throws IOException {
        Reply reply = upstream.ask("GET", address(key), Map.of());
        boolean well = false;
        try {
            if (reply.status() != 200) {
                throw Failures.of(reply);
            }
            FileFacts facts = told(key, reply, ToldFacts.length(reply));
            requireEnd(reply, facts);
            well = true;
            return new OpenedFile(facts, stream(key, facts, reply, 0));
        } finally {
            if (!well) {
                reply.discard(settings.stallTimeout());
            }
        }
    }

    @Override
    public ArchiveStream open(FileKey key, FileFacts expected, long offset) throws IOException {
        if (offset < 0 || (expected.hasSize() && offset > expected.size())) {
            throw new IllegalArgumentException("offset " + offset + " of " + expected.size());
        }
        if (offset == expected.size()) {
            if (!ToldFacts.isSame(head(key), expected)) {
                throw Failures.changed();
            }
            return new Nothing();
        }
        return stream(key, expected, ask(key, expected, offset), offset);
    }

    private HttpStream stream(FileKey key, FileFacts facts, Reply reply, long offset) throws FailureException {
        boolean seekable = facts.etag() != null && canSeek(key, facts);
        return new HttpStream(
                connections,
                position -> ask(key, facts, position),
                facts,
                seekable,
                settings.stallTimeout(),
                reply,
                offset);
    }

    /** The answer that has the file from an offset on; read up to there if the server began before it. */
    private Reply ask(FileKey key, FileFacts expected, long offset) throws IOException {
        Reply reply = upstream.ask("GET", address(key), conditions(expected, offset));
        boolean well = false;
        try {
            begin(key, reply, expected, offset);
            well = true;
            return reply;
        } finally {
            if (!well) {
                reply.discard(settings.stallTimeout());
            }
        }
    }

    private static Map<String, String> conditions(FileFacts expected, long offset) {
        Map<String, String> fields = new HashMap<>();
        Instant time = ToldFacts.timeOfTag(expected);
        if (time != null) {
            fields.put("If-Unmodified-Since", DateUtils.formatStandardDate(time));
        } else if (expected.etag() != null) {
            fields.put("If-Match", expected.etag());
        }
        if (offset > 0) {
            fields.put("Range", "bytes=" + offset + "-");
        }
        return fields;
    }

    private void begin(FileKey key, Reply reply, FileFacts expected, long offset) throws IOException {
        switch (reply.status()) {
            case 200 -> {
                long length = ToldFacts.length(reply);
                requireSame(reply, expected, length);
                requireEnd(reply, expected);
                if (offset > 0) {
                    skip(key, reply, offset);
                }
            }
            case 206 -> {
                ToldFacts.requireIdentity(reply);
                ContentRange range = ContentRange.parse(reply.field("Content-Range"));
                if (offset == 0 || range == null || range.first() != offset) {
                    throw Failures.senseless("Content-Range: " + reply.field("Content-Range") + " from " + offset);
                }
                requireSame(reply, expected, range.size());
            }
            default -> throw Failures.of(reply);
        }
    }

    /** An answer without a size of its own is counted while it is read. */
    private static void requireSame(Reply reply, FileFacts expected, long size) throws FailureException {
        FileFacts told = ToldFacts.of(reply, size < 0 ? expected.size() : size);
        if (!ToldFacts.isSame(told, expected)) {
            throw Failures.changed();
        }
    }

    private static void requireEnd(Reply reply, FileFacts facts) throws FailureException {
        if (!facts.hasSize() && !reply.tellsItsEnd()) {
            throw Failures.refused("The archive does not tell where the file ends.");
        }
    }

    private void skip(FileKey key, Reply reply, long offset) throws IOException {
        unseekable.put(key, true);
        if (offset > MOST_SKIPPED) {
            throw Failures.refused("The archive gives the file only from its beginning.");
        }
        reply.skip(offset, settings.firstByteTimeout());
    }

    @Override
    public boolean canSeek(FileKey key, FileFacts facts) {
        return facts.hasSize() && unseekable.getIfPresent(key) == null;
    }

    @Override
    public void probe() throws IOException {
        Reply reply = upstream.askOnce("HEAD", addresses.base());
        try {
            if (reply.status() >= 500) {
                throw new FailureException(
                        FailureReason.ARCHIVE_FAILED,
                        "The archive answered with an error.",
                        new IOException("status " + reply.status()));
            }
        } finally {
            reply.close();
        }
    }

    @Override
    public void close() {
        upstream.close();
    }

    private URI address(FileKey key) throws FailureException {
        if (key.version() != null) {
            throw Failures.notFound();
        }
        return addresses.of(key);
    }

    /** Connections that are in use. */
    int connectionsInUse() {
        return connections.taken();
    }

    /** The end of a file. */
    private static final class Nothing implements ArchiveStream {
        @Override
        public int read(ByteBuffer target) {
            return -1;
        }

        @Override
        public void close() {}
    }
}
