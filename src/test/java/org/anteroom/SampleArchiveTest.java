package org.anteroom;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.anteroom.model.FileKey;
import org.junit.jupiter.api.Test;

/** The index of the sample archive names every resource once, and each target is a file that can be asked for. */
class SampleArchiveTest {
    private static final Path RESOURCES = Path.of("target/classes/sample-archive");

    @Test
    void theIndexNamesEveryResourceOnce() throws IOException {
        try (Stream<Path> files = Files.list(RESOURCES)) {
            assertThat(index().stream().map(line -> line[0]))
                    .containsExactlyInAnyOrderElementsOf(
                            files.map(file -> file.getFileName().toString())
                                    .filter(name -> !name.equals("index.txt"))
                                    .toList());
        }
    }

    @Test
    void resourceNamesAreAscii() throws IOException {
        assertThat(index()).allMatch(line -> line[0].matches("[a-z0-9.-]+"));
    }

    @Test
    void targetsAreFilesOfDatasets() throws IOException {
        assertThat(index().stream().map(line -> FileKey.parse(line[1])))
                .doesNotHaveDuplicates()
                .contains(
                        FileKey.of("tides-2024", "hourly/January 2024.csv"),
                        FileKey.of("tides-2024", "\u6f6e\u4f4d\u306e\u8aac\u660e.txt"),
                        FileKey.of("ark:/99999/ice-core-7", "depth-age.csv"));
    }

    private static List<String[]> index() throws IOException {
        return Files.readAllLines(RESOURCES.resolve("index.txt")).stream()
                .map(line -> line.split("\t", 2))
                .toList();
    }
}
