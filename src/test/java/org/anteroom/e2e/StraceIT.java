package org.anteroom.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.anteroom.testing.RawHttp;
import org.anteroom.testing.TomcatProcess;
import org.anteroom.testing.Tools;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The order in which a fill reaches the disk, as the kernel sees it. */
class StraceIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    Path folder;

    @Test
    void aCopyIsSyncedNamedAndSyncedAgainBeforeItsRowIsCommitted() throws Exception {
        Tools.require("strace", Path.of("/usr/bin/strace"));
        byte[] bytes = Archived.put(folder.resolve("archive"), "traced", "file.bin", 1_000_000, 1);
        Path base = folder.resolve("base");
        try (TomcatProcess tomcat = TomcatProcess.tomcat11(base)
                .property("anteroom.archive.location", folder.resolve("archive").toString())
                .start()) {
            List<SystemCalls.Call> calls = trace(tomcat, bytes);

            Path data = base.toRealPath().resolve("anteroom");
            Path volume = data.resolve("cache");
            String copy;
            try (var tree = Files.walk(volume.resolve("copies"))) {
                copy = tree.filter(Files::isRegularFile).findAny().orElseThrow().toString();
            }
            SystemCalls.Call rename = SystemCalls.only(
                    calls, call -> call.isRename() && call.text().contains(copy));
            String temporary = rename.firstPath();
            assertThat(temporary).startsWith(volume.resolve("tmp") + "/");

            List<SystemCalls.Call> writes = SystemCalls.all(calls, call -> call.isWrite() && call.isOn(temporary));
            assertThat(writes.stream().mapToLong(SystemCalls.Call::result).sum())
                    .isEqualTo(bytes.length);
            SystemCalls.Call lastWrite = writes.get(writes.size() - 1);
            SystemCalls.Call sync = SystemCalls.only(
                    calls, call -> call.isSync() && call.isOn(temporary) && call.begins() > lastWrite.ends());
            assertThat(rename.begins()).as("renamed after the sync of the file").isGreaterThan(sync.ends());

            String name = copy.substring(copy.lastIndexOf('/') + 1);
            Path copies = volume.resolve("copies");
            Path upper = copies.resolve(name.substring(0, 2));
            Path lower = upper.resolve(name.substring(2, 4));
            SystemCalls.Call commit = SystemCalls.all(
                            calls,
                            call -> call.isWrite()
                                    && call.isOn(data + "/inventory.db-wal")
                                    && call.text().contains(name)
                                    && call.text().contains("cached"))
                    .get(0);
            for (Path parent : List.of(lower, upper, copies)) {
                SystemCalls.Call folderSync = SystemCalls.only(
                        calls, call -> call.isSync() && call.isOn(parent.toString()) && call.begins() > rename.ends());
                assertThat(commit.begins())
                        .as("the row after the sync of " + parent)
                        .isGreaterThan(folderSync.ends());
            }
        }
    }

    /** What the server calls during one miss, until the file comes out of the cache. */
    private List<SystemCalls.Call> trace(TomcatProcess tomcat, byte[] bytes) throws Exception {
        Path log = folder.resolve("strace.log");
        Path messages = folder.resolve("strace.messages");
        Process strace = new ProcessBuilder(
                        "strace",
                        "-f",
                        "-y",
                        "-s",
                        "5000",
                        "-e",
                        "trace=fsync,fdatasync,?rename,?renameat,renameat2,pwrite64,write",
                        "-o",
                        log.toString(),
                        "-p",
                        Long.toString(tomcat.pid()))
                .redirectErrorStream(true)
                .redirectOutput(messages.toFile())
                .start();
        try {
            await().atMost(PATIENCE).until(() -> Files.readString(messages).contains("attached"));
            assertThat(strace.isAlive()).as(Files.readString(messages)).isTrue();
            Requests.assertWhole(RawHttp.get(tomcat.uri(), "/files/traced/file.bin"), bytes);
            Requests.awaitHit(tomcat.uri(), "/files/traced/file.bin", bytes);
        } finally {
            // it detaches, and the server goes on
            strace.destroy();
            if (!strace.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                strace.destroyForcibly();
            }
        }
        return SystemCalls.parse(Files.readAllLines(log, StandardCharsets.ISO_8859_1));
    }
}
