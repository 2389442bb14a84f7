package org.anteroom.archive.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.benmanes.caffeine.cache.Ticker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.anteroom.archive.Archive;
import org.anteroom.archive.ArchiveContract;
import org.anteroom.metrics.Metrics;
import org.anteroom.model.FailureReason;
import org.anteroom.model.FileFacts;
import org.anteroom.model.FileKey;
import org.anteroom.tasks.Tasks;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The contract, before a real file server, whose tags are weak ones. */
@Timeout(60)
class HttpArchiveTest extends ArchiveContract {
    @TempDir
    Path folder;

    private final Tasks tasks = new Tasks(new Metrics());
    private FileServer server;
    private HttpArchive archive;

    @BeforeEach
    void start() throws Exception {
        server = new FileServer(folder);
        HttpArchiveSettings settings = new HttpArchiveSettings(
                server.uri(), null, 4, Duration.ofSeconds(5), Duration.ofSeconds(20), Duration.ofSeconds(20));
        archive = new HttpArchive(settings, tasks, Ticker.systemTicker());
    }

    @AfterEach
    void stop() throws Exception {
        assertThat(archive.connectionsInUse()).isZero();
        archive.close();
        assertThat(tasks.stop(Duration.ofSeconds(10))).isEmpty();
        server.close();
    }

    @Override
    protected Archive archive() {
        return archive;
    }

    @Override
    protected void put(FileKey key, byte[] bytes) throws IOException {
        String path =
                Arrays.stream(key.path().split("/", -1)).map(FileKey::encode).collect(Collectors.joining("/"));
        Path file =
                folder.resolve("files").resolve(FileKey.encode(key.dataset())).resolve(path);
        Files.createDirectories(file.getParent());
        Files.write(file, bytes);
    }

    @Override
    protected boolean canList() {
        return false;
    }

    @Override
    protected boolean holdsFilesAndFoldersOfOneName() {
        return false;
    }

    @Test
    void validatorIsTheTimeOfChangeWithTheSize() throws IOException {
        FileKey key = FileKey.of("tides-2024", "a.csv");
        put(key, bytes(100));
        // in a second that is over
        Files.setLastModifiedTime(
                folder.resolve("files/tides-2024/a.csv"), FileTime.from(Instant.parse("2026-01-02T03:04:05Z")));
        FileFacts facts = archive.head(key);
        assertThat(facts.lastModified()).isEqualTo(Instant.parse("2026-01-02T03:04:05Z"));
        assertThat(facts.etag()).startsWith("\"64-").endsWith("-0\"");
        assertThat(facts.contentType()).startsWith("text/csv");
        assertThat(archive.canSeek(key, facts)).isTrue();
    }

    @Test
    void oneQuestionBringsFactsAndBytes() throws IOException {
        FileKey key = FileKey.of("tides-2024", "a.csv");
        byte[] bytes = bytes(100_000);
        put(key, bytes);
        var file = archive.openNew(key);
        assertThat(file).isNotNull();
        try (var stream = file.stream()) {
            assertThat(file.facts()).isEqualTo(archive.head(key));
            assertThat(readAll(stream)).isEqualTo(bytes);
        }
        assertFails(FailureReason.NOT_FOUND, () -> archive.openNew(FileKey.of("tides-2024", "none")));
    }

    @Test
    void versionsAreNotFound() {
        assertFails(FailureReason.NOT_FOUND, () -> archive.head(new FileKey("tides-2024", "a.csv", "1")));
    }
}
