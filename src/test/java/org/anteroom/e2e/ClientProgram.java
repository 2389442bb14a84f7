package org.anteroom.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.anteroom.testing.Tools;

/** A program from a Debian package that downloads, run in a folder of its own. */
final class ClientProgram {
    private static final long PATIENCE_SECONDS = 120;

    private final Path folder;
    private final Path program;

    private ClientProgram(Path folder, Path program) {
        this.folder = folder;
        this.program = program;
    }

    /** What a run came to. */
    record Run(int exit, String output) {
        Run succeeded() {
            assertThat(exit).as(output).isZero();
            return this;
        }
    }

    /** Goes on only if the package is installed, or if none must be skipped. */
    static ClientProgram of(String debianPackage, String name, Path folder) throws IOException {
        Path program = Path.of("/usr/bin", name);
        Tools.require(debianPackage, program);
        return new ClientProgram(Files.createDirectories(folder), program);
    }

    /** Runs it to its end. */
    Run run(String... arguments) throws IOException, InterruptedException {
        Path output = Files.createTempFile("client", ".out");
        Process process = start(output, arguments);
        try {
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError(program + " does not end\n" + Files.readString(output));
            }
            return new Run(process.exitValue(), new String(Files.readAllBytes(output), StandardCharsets.ISO_8859_1));
        } finally {
            process.destroyForcibly();
            Files.delete(output);
        }
    }

    /** Starts it, with what it says in a file. */
    Process start(Path output, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(program.toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        // nothing of the developer's own: no proxy, no configuration
        builder.environment()
                .keySet()
                .removeIf(name -> name.toLowerCase(java.util.Locale.ROOT).endsWith("_proxy"));
        builder.environment().put("HOME", folder.toString());
        builder.environment().put("LC_ALL", "C.UTF-8");
        return builder.start();
    }

    Path folder() {
        return folder;
    }
}
