package org.anteroom.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.anteroom.volume.VolumeSettings;
import org.junit.jupiter.api.Test;

/** The keys in the code and in docs/configuration.md are the same. */
class ConfigurationDocumentTest {

    private static final Path DOCUMENT = Path.of("docs", "configuration.md");

    @Test
    void theTableOfKeysIsTheOneOfTheCode() throws IOException {
        List<String> lines = Files.readAllLines(DOCUMENT);
        int head = lines.indexOf("| key | type | default | meaning |");
        assertThat(head).isPositive();
        List<String> rows = lines.subList(head + 2, lines.size()).stream()
                .takeWhile(line -> line.startsWith("|"))
                .toList();
        assertThat(rows).isEqualTo(Keys.ALL.stream().map(Key::row).toList());
    }

    @Test
    void theOperatorsFileIsReadAndItsCommentsShowTheDefaults() throws Exception {
        Path file = Path.of("tomcat-conf", "anteroom.properties").toAbsolutePath();
        Surroundings surroundings = new Surroundings(
                name -> name.equals("anteroom/config") ? Optional.of(file.toString()) : Optional.empty(),
                Map.of("catalina.base", "/opt/base", "host.name", "room"));
        Settings settings = Configuration.load(surroundings);
        assertThat(settings.sampleArchive()).isTrue();
        assertThat(settings.volumes()).extracting(VolumeSettings::name).containsExactly("cache");

        List<String> shown = Files.readAllLines(file).stream()
                .filter(line -> line.matches("#[a-z.-]+ =.*"))
                .toList();
        assertThat(shown).isNotEmpty();
        assertThat(shown).allSatisfy(line -> {
            String name = line.substring(1, line.indexOf(" ="));
            assertThat(Keys.known(name)).as(name).isTrue();
            String value = line.substring(line.indexOf('=') + 1).strip();
            assertThat(Keys.ALL).anySatisfy(key -> {
                assertThat(key.nameFor("cache")).isEqualTo(name);
                assertThat(value).isIn("", key.standard());
            });
        });
    }

    @Test
    void everyKeyIsThereOnceAndItsDefaultAndExampleAreValuesOfItsType() {
        assertThat(Keys.ALL).extracting(Key::name).doesNotHaveDuplicates();
        Expansion expansion = new Surroundings(name -> Optional.empty(), Map.of("host.name", "room")).expansion();
        assertThat(Keys.ALL).allSatisfy(key -> {
            assertThatCode(() -> key.type().parse(key.type().example())).doesNotThrowAnyException();
            if (!key.required()) {
                assertThatCode(() -> key.type().parse(expansion.expand(key.standard())))
                        .doesNotThrowAnyException();
            }
        });
    }
}
