package org.anteroom.testing;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** A small file system of its own, mounted in a folder: a disk that can be full, read-only, or gone. Needs the right to mount. */
public final class SmallDisk implements AutoCloseable {
    private final Path folder;
    private boolean mounted = true;

    private SmallDisk(Path folder) {
        this.folder = folder;
    }

    /**
     * Mounts one in a folder, which is made if need be.
     *
     * @param size in bytes
     */
    public static SmallDisk mount(Path folder, long size) throws IOException, InterruptedException {
        Files.createDirectories(folder);
        String said = run("mount", "-t", "tmpfs", "-o", "size=" + size, "anteroom-test", folder.toString());
        Tools.requireThat(said.isEmpty(), "no file system can be mounted here: " + said);
        return new SmallDisk(folder);
    }

    /** Takes all that is free on it. */
    public void fill() throws IOException {
        byte[] chunk = new byte[64 * 1024];
        try (OutputStream out = Files.newOutputStream(other())) {
            while (true) {
                out.write(chunk);
            }
        } catch (IOException e) {
            if (folder.toFile().getUsableSpace() > 0) {
                throw e;
            }
        }
    }

    /** Gives it free again. */
    public void free() throws IOException {
        Files.delete(other());
    }

    private Path other() {
        return folder.resolve("another-program's-file");
    }

    /** Lets it be read only, or written again. */
    public void readOnly(boolean now) throws IOException, InterruptedException {
        require(run("mount", "-o", "remount," + (now ? "ro" : "rw"), folder.toString()));
    }

    @Override
    public void close() throws IOException {
        if (mounted) {
            mounted = false;
            try {
                // also while something is open there
                require(run("umount", "-l", folder.toString()));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException(e);
            }
        }
    }

    private static void require(String said) throws IOException {
        if (!said.isEmpty()) {
            throw new IOException(said);
        }
    }

    /** What a command says if it fails; else nothing. */
    private static String run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        if (!process.waitFor(30, TimeUnit.SECONDS)) {
            throw new IOException(String.join(" ", command) + " does not end");
        }
        return process.exitValue() == 0 ? "" : output + " (" + process.exitValue() + ")";
    }
}
