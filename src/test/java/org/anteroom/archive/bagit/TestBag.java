package org.anteroom.archive.bagit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** A bag that is made in memory and written in any form. */
final class TestBag {
    final String name;
    /** All files, by their path in the bag. */
    final Map<String, byte[]> files = new TreeMap<>();

    /** A bag with its declaration and nothing else. */
    TestBag(String name) {
        this.name = name;
        tag("bagit.txt", "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n");
    }

    TestBag tag(String path, String text) {
        files.put(path, text.getBytes(UTF_8));
        return this;
    }

    TestBag payload(String path, byte[] bytes) {
        files.put("data/" + path, bytes);
        return this;
    }

    TestBag payload(String path, String text) {
        return payload(path, text.getBytes(UTF_8));
    }

    /** Writes a manifest of what is there by now. */
    TestBag manifest(Algorithm algorithm) {
        StringBuilder lines = new StringBuilder();
        files.forEach((path, bytes) -> {
            if (path.startsWith("data/")) {
                lines.append(hex(algorithm, bytes))
                        .append("  ")
                        .append(path.replace("%", "%25").replace("\n", "%0A").replace("\r", "%0D"))
                        .append('\n');
            }
        });
        return tag("manifest-" + algorithm.label() + ".txt", lines.toString());
    }

    static String hex(Algorithm algorithm, byte[] bytes) {
        return HexFormat.of().formatHex(algorithm.digester().digest(bytes));
    }

    /** Writes it into a folder of bags, as a whole, in place of what was there. */
    Path write(Path folder, BagName.Form form) throws IOException {
        return switch (form) {
            case FOLDER -> writeFolder(folder);
            case ZIP -> replace(folder.resolve(name + ".zip"), this::writeZip);
            case TAR -> replace(folder.resolve(name + ".tar"), out -> out.write(tar()));
        };
    }

    /** Writes bytes to a stream. */
    interface Writing {
        void to(OutputStream out) throws IOException;
    }

    static Path replace(Path target, Writing writing) throws IOException {
        Path draft = target.resolveSibling("../draft");
        try (OutputStream out = Files.newOutputStream(draft)) {
            writing.to(out);
        }
        return Files.move(draft, target, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    }

    private Path writeFolder(Path folder) throws IOException {
        Path bag = folder.resolve(name);
        for (Map.Entry<String, byte[]> file : files.entrySet()) {
            Path path = bag.resolve(file.getKey());
            if (!Files.isRegularFile(path) || Files.mismatch(path, draft(bag, file.getValue())) >= 0) {
                Files.createDirectories(path.getParent());
                Files.move(draft(bag, file.getValue()), path, StandardCopyOption.REPLACE_EXISTING);
            }
        }
        Files.deleteIfExists(draftOf(bag));
        return bag;
    }

    private static Path draft(Path bag, byte[] bytes) throws IOException {
        return Files.write(draftOf(bag), bytes);
    }

    private static Path draftOf(Path bag) {
        return bag.resolveSibling("../draft");
    }

    /** As a streaming writer does it, with sizes after the data. */
    private void writeZip(OutputStream out) throws IOException {
        try (ZipOutputStream zip = new ZipOutputStream(out)) {
            zip.putNextEntry(new ZipEntry(name + "/"));
            for (Map.Entry<String, byte[]> file : inTop().entrySet()) {
                zip.putNextEntry(new ZipEntry(file.getKey()));
                zip.write(file.getValue());
                zip.closeEntry();
            }
        }
    }

    private byte[] tar() {
        RawTar tar = new RawTar();
        tar.entry('5', name + "/", "", new byte[0]);
        inTop().forEach((path, bytes) -> tar.pax("path", path).file("short", bytes));
        return tar.closed();
    }

    /** The files with the bag's folder before them. */
    Map<String, byte[]> inTop() {
        Map<String, byte[]> all = new LinkedHashMap<>();
        files.forEach((path, bytes) -> all.put(name + '/' + path, bytes));
        return all;
    }
}
