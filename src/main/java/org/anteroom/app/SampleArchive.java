package org.anteroom.app;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/**
 * The small archive that comes with the application, laid out where the default archive is looked for and nothing is yet.
 *
 * <p>It is laid out beside its place and moved there whole, so that a start that is cut short leaves no half archive.
 */
final class SampleArchive {
    private static final String ROOT = "/sample-archive/";

    private SampleArchive() {}

    /** Lays the samples out unless the folder exists; whether it did. */
    static boolean layOut(Path folder) throws IOException {
        if (Files.exists(folder)) {
            return false;
        }
        Path parent = folder.toAbsolutePath().getParent();
        if (parent == null) {
            throw new IOException("no folder for samples: " + folder);
        }
        if (!Files.isDirectory(parent)) {
            // not otherwise: it would refuse a link to a folder
            Files.createDirectories(parent);
        }
        Path draft = Files.createTempDirectory(parent, ".samples-");
        for (String line : lines()) {
            String[] columns = line.split("\t", -1);
            Path target = draft.resolve(columns[1]);
            Files.createDirectories(draft.resolve(columns[1]).getParent());
            try (InputStream in = open(columns[0])) {
                Files.copy(in, target);
            }
        }
        try {
            Files.move(draft, folder, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            delete(draft);
            if (!Files.exists(folder)) {
                throw e;
            }
            return false;
        }
        return true;
    }

    /** The index: resource, tab, path under the archive's root. */
    private static List<String> lines() throws IOException {
        try (BufferedReader reader =
                new BufferedReader(new InputStreamReader(open("index.txt"), StandardCharsets.UTF_8))) {
            return reader.lines().filter(line -> !line.isBlank()).toList();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private static InputStream open(String name) throws IOException {
        InputStream in = SampleArchive.class.getResourceAsStream(ROOT + name);
        if (in == null) {
            throw new IOException("the application lacks its resource " + ROOT + name);
        }
        return in;
    }

    private static void delete(Path tree) throws IOException {
        try (var paths = Files.walk(tree)) {
            for (Path path : paths.sorted(java.util.Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
