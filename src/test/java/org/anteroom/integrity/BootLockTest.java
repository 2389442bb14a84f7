package org.anteroom.integrity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BootLockTest {
    @TempDir
    Path folder;

    private Path database;

    @BeforeEach
    void name() {
        database = folder.resolve("inventory.db");
    }

    /** Another process that wants the name: it tells what came of that, and holds it until it is killed. */
    static final class Boot {
        private Boot() {}

        public static void main(String[] arguments) throws IOException {
            try {
                BootLock lock = BootLock.take(Path.of(arguments[0]), arguments[1]);
                tell("taken");
                // until the parent goes away
                while (System.in.read() >= 0) {}
                lock.close();
            } catch (SecondBootException e) {
                tell("refused: " + e.getMessage());
            }
        }

        private static void tell(String what) {
            byte[] line = (what + "\n").getBytes(StandardCharsets.UTF_8);
            System.out.write(line, 0, line.length);
            System.out.flush();
        }
    }

    private Process boot(String instance) throws IOException {
        return new ProcessBuilder(
                        ProcessHandle.current().info().command().orElse("java"),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Boot.class.getName(),
                        database.toString(),
                        instance)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private static String told(Process process) throws IOException {
        BufferedReader reader = process.inputReader(StandardCharsets.UTF_8);
        return String.valueOf(reader.readLine());
    }

    private static void kill(Process process) throws InterruptedException {
        process.destroyForcibly();
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void a_second_boot_of_the_name_is_refused_until_the_first_ends() throws Exception {
        try (BootLock first = BootLock.take(database, "one")) {
            assertThat(first).isNotNull();
            assertThatThrownBy(() -> BootLock.take(database, "one"))
                    .isInstanceOf(SecondBootException.class)
                    .hasMessage("another instance named 'one' is running on the same inventory: stop it first, or give"
                            + " this one another instance.name");
        }
        BootLock.take(database, "one").close();
    }

    @Test
    void other_names_and_other_databases_are_other_locks() throws Exception {
        try (BootLock one = BootLock.take(database, "one");
                BootLock two = BootLock.take(database, "two/../../%s \u6771\u4eac");
                BootLock elsewhere = BootLock.take(folder.resolve("other.db"), "one")) {
            assertThat(one).isNotSameAs(two).isNotSameAs(elsewhere);
            try (var files = Files.list(folder)) {
                assertThat(files).hasSize(3);
            }
        }
    }

    @Test
    void the_same_database_by_another_path_is_the_same_lock() throws Exception {
        Path link = Files.createSymbolicLink(folder.resolve("link"), Files.createDirectory(folder.resolve("real")));
        try (BootLock first = BootLock.take(folder.resolve("real/inventory.db"), "one")) {
            assertThat(first).isNotNull();
            assertThatThrownBy(() -> BootLock.take(link.resolve("inventory.db"), "one"))
                    .isInstanceOf(SecondBootException.class);
        }
    }

    @Test
    void another_process_is_refused_also_after_another_deployment_in_this_one_was() throws Exception {
        try (BootLock first = BootLock.take(database, "one")) {
            assertThat(first).isNotNull();
            assertThatThrownBy(() -> BootLock.take(database, "one")).isInstanceOf(SecondBootException.class);
            Process second = boot("one");
            assertThat(told(second)).startsWith("refused: another instance named 'one'");
            assertThat(second.waitFor(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void a_boot_that_was_killed_holds_nothing() throws Exception {
        Process first = boot("one");
        try {
            assertThat(told(first)).isEqualTo("taken");
            assertThatThrownBy(() -> BootLock.take(database, "one")).isInstanceOf(SecondBootException.class);
        } finally {
            kill(first);
        }
        BootLock.take(database, "one").close();
    }

    @Test
    void a_folder_that_is_not_there_is_another_failure() throws Exception {
        assertThatThrownBy(() -> BootLock.take(folder.resolve("missing/inventory.db"), "one"))
                .isInstanceOf(IOException.class);
        Files.createDirectory(folder.resolve("missing"));
        BootLock.take(folder.resolve("missing/inventory.db"), "one").close();
    }
}
