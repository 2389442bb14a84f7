package org.anteroom;

import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the documents name is there: metrics, and classes with their members. */
class DocumentsTest {
    private static final Path SOURCES = Path.of("src");

    /** A class in code quotes, alone or with a method or field. */
    private static final Pattern CLASS = Pattern.compile("`([A-Z]+[a-z][A-Za-z0-9]*)(?:\\.([a-z]\\w*))?`");

    @Test
    void everyMetricIsInTheTableAndNoOther() throws IOException {
        Set<String> registered = new TreeSet<>();
        for (Path source : files(SOURCES.resolve("main/java"), ".java")) {
            registered.addAll(found(Files.readString(source), Pattern.compile("\"(anteroom_[a-z_]+)\"")));
        }
        Set<String> told = new TreeSet<>();
        for (String line : Files.readAllLines(Path.of("docs/operations.md"))) {
            if (line.startsWith("| `anteroom_")) {
                told.addAll(found(line, Pattern.compile("`(anteroom_[a-z_]+)`")));
            }
        }
        assertThat(told).isNotEmpty().isEqualTo(registered);
    }

    @ParameterizedTest
    @ValueSource(strings = {"docs/architecture.md", "docs/decisions.md"})
    void everyClassAndMemberExists(Path document) throws IOException {
        TreeMap<String, String> sources = new TreeMap<>();
        for (Path source : files(SOURCES, ".java")) {
            sources.merge(simpleName(source), Files.readString(source), String::concat);
        }
        List<MatchResult> named =
                CLASS.matcher(Files.readString(document)).results().toList();
        assertThat(named).isNotEmpty().allSatisfy(match -> {
            assertThat(sources).containsKey(match.group(1));
            if (match.group(2) != null) {
                assertThat(sources.get(match.group(1))).containsPattern("\\b" + match.group(2) + "\\b");
            }
        });
    }

    private static Set<String> found(String text, Pattern pattern) {
        return pattern.matcher(text).results().map(match -> match.group(1)).collect(toCollection(TreeSet::new));
    }

    private static List<Path> files(Path folder, String suffix) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            return all.filter(file -> file.toString().endsWith(suffix)).collect(toCollection(java.util.ArrayList::new));
        }
    }

    private static String simpleName(Path source) {
        return source.getFileName().toString().replace(".java", "");
    }
}
