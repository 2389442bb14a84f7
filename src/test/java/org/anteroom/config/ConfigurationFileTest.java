package org.anteroom.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Collectors;
import org.anteroom.testing.Samples;
import org.junit.jupiter.api.Test;

/** The text of a properties file, taken apart. */
class ConfigurationFileTest {

    private final List<String> errors = new ArrayList<>();

    @Test
    void entriesKnowTheirLines() {
        Map<String, Entry> entries = parse("# comment\n\na = 1\n! other\nb: 2\n  c   3  \nd=\\\n   4,\\\n   5\ne = 6");
        assertThat(entries.values())
                .containsExactly(
                        new Entry("a", "1", "line 3: a = 1"),
                        new Entry("b", "2", "line 5: b = 2"),
                        new Entry("c", "3", "line 6: c = 3"),
                        new Entry("d", "4,5", "line 7: d = 4,5"),
                        new Entry("e", "6", "line 10: e = 6"));
        assertThat(errors).isEmpty();
    }

    @Test
    void everyKindOfLineEnd() {
        assertThat(parse("a=1\r\nb=2\rc=3\nd=4").values())
                .extracting(Entry::shown)
                .containsExactly("line 1: a = 1", "line 2: b = 2", "line 3: c = 3", "line 4: d = 4");
    }

    @Test
    void utf8WithAndWithoutAMark() {
        assertThat(texts(parse("\uFEFFarchive.location = /srv/日本"))).containsEntry("archive.location", "/srv/日本");
        assertThat(texts(parse("archive.location = /srv/\\u65e5\\u672c"))).containsEntry("archive.location", "/srv/日本");
    }

    @Test
    void anotherEncodingIsAnError() {
        byte[] latin = "a = 1\nb = 2\nlocation = /srv/bücher\n".getBytes(StandardCharsets.ISO_8859_1);
        assertThat(ConfigurationFile.parse(latin, errors)).isEmpty();
        assertThat(errors).containsExactly("line 3: not UTF-8; save the file in that encoding");
    }

    @Test
    void aFileThatEndsInTheMiddleOfALetterIsAnError() {
        byte[] cut = {'a', '=', (byte) 0xE6, (byte) 0x97};
        assertThat(ConfigurationFile.parse(cut, errors)).isEmpty();
        assertThat(errors).containsExactly("line 1: not UTF-8; save the file in that encoding");
    }

    @Test
    void aKeyThatComesTwiceIsAnError() {
        Map<String, Entry> entries = parse("a = 1\nb = 2\na = 3\n");
        assertThat(texts(entries)).containsEntry("a", "1");
        assertThat(errors).containsExactly("line 3: a = 3: the key stands in line 1 already; remove one of them");
    }

    @Test
    void aBrokenEscapeIsAnErrorAndTheRestIsRead() {
        Map<String, Entry> entries = parse("a = C:\\users\nb = 2");
        assertThat(texts(entries)).containsExactly(Map.entry("b", "2"));
        assertThat(errors)
                .containsExactly("line 1: not an entry (Malformed \\uxxxx encoding.); a backslash before u needs four"
                        + " hexadecimal digits after it");
    }

    @Test
    void anEntryWithoutAKeyIsAnError() {
        assertThat(parse("a = 1\n= 2")).containsOnlyKeys("a");
        assertThat(errors).containsExactly("line 2: no key; write KEY = VALUE");
    }

    @Test
    void longAndUnprintableValuesAreShownShortAndInOneLine() {
        assertThat(parse("a = x\\ny").get("a")).isEqualTo(new Entry("a", "x\ny", "line 1: a = x y"));
        assertThat(parse("a = " + "x".repeat(500)).values())
                .extracting(Entry::shown)
                .containsExactly("line 1: a = " + "x".repeat(120) + "…");
    }

    @Test
    void theSameAsJavasOwnReader() throws IOException {
        Samples samples = new Samples();
        for (int i = 0; i < Samples.TRIES; i++) {
            compareWithJavasOwnReader(samples.text("ab=: \t\\#!\n\r\f", 0, 40));
        }
    }

    private static void compareWithJavasOwnReader(String text) throws IOException {
        Properties expected = new Properties();
        try {
            expected.load(new StringReader(text));
        } catch (IllegalArgumentException e) {
            return;
        }
        // an entry without a key is an error here
        expected.remove("");
        List<String> found = new ArrayList<>();
        Map<String, Entry> entries = ConfigurationFile.parse(text.getBytes(StandardCharsets.UTF_8), found);
        assertThat(entries.keySet()).isEqualTo(expected.stringPropertyNames());
        if (found.isEmpty()) {
            entries.forEach((key, entry) ->
                    assertThat(entry.text()).isEqualTo(expected.getProperty(key).strip()));
        }
    }

    private Map<String, Entry> parse(String text) {
        return ConfigurationFile.parse(text.getBytes(StandardCharsets.UTF_8), errors);
    }

    private static Map<String, String> texts(Map<String, Entry> entries) {
        return entries.values().stream().collect(Collectors.toMap(Entry::key, Entry::text));
    }
}
