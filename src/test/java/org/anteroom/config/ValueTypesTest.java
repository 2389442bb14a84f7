package org.anteroom.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Values of every type, right and wrong. */
class ValueTypesTest {

    private static final ValueType<Long> SIZE = ValueTypes.size(1);
    private static final ValueType<Duration> TIME = ValueTypes.duration(Duration.ofMillis(1));

    @ParameterizedTest
    @CsvSource({
        "1, 1",
        "5368709120, 5368709120",
        "7B, 7",
        "20MB, 20000000",
        "20mb, 20000000",
        "500GiB, 536870912000",
        "500 GiB, 536870912000",
        "1KB, 1000",
        "1KiB, 1024",
        "1MiB, 1048576",
        "1GB, 1000000000",
        "3TB, 3000000000000",
        "3TiB, 3298534883328",
        "1PB, 1000000000000000",
        "8191PiB, 9222246136947933184",
        "9223372036854775807, 9223372036854775807",
        "007, 7"
    })
    void sizes(String text, long bytes) throws BadValueException {
        assertThat(SIZE.parse(text)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "GiB", "1.5GiB", "-1", "+1", "1e9", "500G", "500Gb/s", "1 000", "٣", "5 0MB", "MiB5"})
    void whatIsNoSize(String text) {
        assertRefused(
                SIZE,
                text,
                "not a size; write a whole number of bytes, or one with KB, MB, GB, TB, PB, KiB, MiB, GiB, TiB or PiB,"
                        + " such as 500GiB");
    }

    @ParameterizedTest
    @ValueSource(strings = {"8192PiB", "9223372036854775808", "9999999999999999999999PiB"})
    void sizesThatAreTooLarge(String text) {
        assertRefused(SIZE, text, "too large; the most is 8191PiB");
    }

    @Test
    void sizesThatAreTooSmall() {
        assertRefused(SIZE, "0", "too small; the least is 1 byte");
        assertRefused(ValueTypes.size(1024), "1KB", "too small; the least is 1024 bytes");
    }

    @ParameterizedTest
    @CsvSource({"500ms, PT0.5S", "30s, PT30S", "30 S, PT30S", "5m, PT5M", "2h, PT2H", "7d, PT168H", "36500d, PT876000H"
    })
    void times(String text, Duration duration) throws BadValueException {
        assertThat(TIME.parse(text)).isEqualTo(duration);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "30", "0", "s", "1.5s", "-1s", "1m30s", "5min", "PT5M", "1w", "forever"})
    void whatIsNoTime(String text) {
        assertRefused(TIME, text, "not a time; write a whole number and one of the units ms, s, m, h, d, such as 30s");
    }

    @ParameterizedTest
    @ValueSource(strings = {"36501d", "9223372036854775807d", "99999999999999999999999ms"})
    void timesThatAreTooLong(String text) {
        assertRefused(TIME, text, "too long; the most is 36500d");
    }

    @Test
    void timesThatAreTooShort() throws BadValueException {
        assertRefused(TIME, "0s", "too short; the least is 1ms");
        assertThat(ValueTypes.duration(Duration.ZERO).parse("0s")).isZero();
    }

    @ParameterizedTest
    @CsvSource({"true, true", "TRUE, true", "false, false", "False, false"})
    void booleans(String text, boolean value) throws BadValueException {
        assertThat(ValueTypes.BOOLEAN.parse(text)).isEqualTo(value);
    }

    @ParameterizedTest
    @ValueSource(strings = {"yes", "1", "on", "truefalse"})
    void whatIsNoBoolean(String text) {
        assertRefused(ValueTypes.BOOLEAN, text, "neither true nor false; write one of them");
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "1, 1", "0.95, 0.95", "1.0, 1", "0.90, 0.9"})
    void ratios(String text, double value) throws BadValueException {
        assertThat(ValueTypes.RATIO.parse(text)).isEqualTo(value);
    }

    @ParameterizedTest
    @ValueSource(strings = {"95", "1.01", "-0.1", "95%", ".5", "0,9", "NaN", "1e-1", "0x1p-1", ""})
    void whatIsNoRatio(String text) {
        assertRefused(ValueTypes.RATIO, text, "not a ratio; write a number from 0 to 1, such as 0.95");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "101", "1.0", "one", "99999999999999999999", "", "--5"})
    void whatIsNoNumberInTheBounds(String text) {
        assertRefused(ValueTypes.number(1, 100, "32"), text, "not a whole number from 1 to 100");
    }

    @Test
    void numbers() throws BadValueException {
        assertThat(ValueTypes.number(-5, 5, "1").parse("-5")).isEqualTo(-5);
        assertThat(ValueTypes.number(1, 100, "1").parse("100")).isEqualTo(100);
    }

    @Test
    void choices() throws BadValueException {
        ValueType<String> status = ValueTypes.oneOf("active", "read-only", "offline");
        assertThat(status.parse("read-only")).isEqualTo("read-only");
        assertThat(status.name()).isEqualTo("`active`, `read-only` or `offline`");
        assertRefused(status, "readonly", "not a choice here; write active, read-only or offline");
        assertRefused(ValueTypes.oneOf("lru"), "LRU", "not a choice here; write lru");
    }

    @Test
    void names() throws BadValueException {
        assertThat(ValueTypes.NAMES.parse("fast")).isEqualTo(List.of("fast"));
        assertThat(ValueTypes.NAMES.parse(" fast ,bulk-2")).isEqualTo(List.of("fast", "bulk-2"));
        assertRefused(ValueTypes.NAMES, "fast,", "a name is missing beside a comma; write a list such as fast, bulk");
        assertRefused(
                ValueTypes.NAMES,
                "fast bulk",
                "'fast bulk' is not a name; use lower-case letters, digits and hyphens, and commas between names");
        assertRefused(
                ValueTypes.NAMES,
                "Fast",
                "'Fast' is not a name; use lower-case letters, digits and hyphens, and commas between names");
        assertRefused(ValueTypes.NAMES, "fast, bulk, fast", "'fast' stands in it twice; name each volume once");
    }

    @Test
    void folders() throws BadValueException {
        assertThat(ValueTypes.FOLDER.parse("/srv/a b")).isEqualTo(Path.of("/srv/a b"));
        assertThat(ValueTypes.FOLDER.parse("data/archive")).isEqualTo(Path.of("data", "archive"));
        assertRefused(
                ValueTypes.FOLDER, "s3://bucket/prefix", "not a folder but a URL; write a path such as /srv/anteroom");
        assertRefused(ValueTypes.FOLDER, "file:/srv", "not a folder but a URL; write a path such as /srv/anteroom");
        assertRefused(
                ValueTypes.FOLDER,
                "/srv/\0",
                "not a path on this machine (Nul character not allowed); write one such as /srv/anteroom, and start"
                        + " Java under a UTF-8 locale if it has other letters");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "reading-room-1", "node_1.example.org", "A9"})
    void instanceNames(String text) throws BadValueException {
        assertThat(ValueTypes.NAME.parse(text)).isEqualTo(text);
    }

    @ParameterizedTest
    @ValueSource(strings = {".", "..", ".hidden", "a/b", "a b", "straße", "${x}"})
    void whatIsNoInstanceName(String text) {
        assertRefused(
                ValueTypes.NAME,
                text,
                "not a name; write up to 100 letters (A-Z, a-z), digits, '.', '_' and '-', the first not a '.'");
    }

    private static void assertRefused(ValueType<?> type, String text, String message) {
        assertThatThrownBy(() -> type.parse(text))
                .isInstanceOf(BadValueException.class)
                .hasMessage(message);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "no-store",
                "public, no-cache, no-transform",
                "public,max-age=60 , immutable",
                "private=\"set-cookie, x\", max-age=\"60\", x=\"a\\\"b\""
            })
    void cacheControls(String text) throws BadValueException {
        assertThat(ValueTypes.CACHE_CONTROL.parse(text)).isEqualTo(text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ",",
                "public,",
                "public,,no-cache",
                "public no-cache",
                "public; no-cache",
                "max-age=",
                "max-age = 60",
                "=60",
                "public max-age=\"60",
                "public, max-age=\"60",
                "max-age=\"6\"0\"",
                "x=\"\\\"",
                "public\r\nX-Evil: 1",
                "a\tb",
                "caf\u00e9",
                "x=\"\u00e9\"",
                "\u007f"
            })
    void whatIsNoCacheControl(String text) {
        assertRefused(
                ValueTypes.CACHE_CONTROL,
                text,
                "not a Cache-Control; write directives with commas between them, such as public, max-age=3600");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "czi",
                "czi=",
                "=image/x",
                ".czi=image/x",
                "tar.gz=application/gzip",
                "czi=image/x,",
                "czi=image/x/y",
                "czi=image/x y",
                "czi=image/x; charset",
                "czi=image/x\r\nA: b",
                "czi=image/\u00e9",
                "czi=image/x, CZI=image/y"
            })
    void whatAreNoMediaTypes(String text) {
        assertThatThrownBy(() -> ValueTypes.MEDIA_TYPES.parse(text)).isInstanceOf(BadValueException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://example.org",
                "https://example.org:1",
                "http://localhost:65535",
                "https://a-b.c_d.example",
                "http://127.0.0.1:8080",
                "http://[::1]:8080",
                "app://viewer"
            })
    void origins(String text) throws BadValueException {
        assertThat(ValueTypes.ORIGINS.parse(text).origins()).containsExactly(text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "example.org",
                "https://",
                "https://example.org/",
                "https://example.org/a",
                "https://example.org?",
                "https://user@example.org",
                "https://*.example.org",
                "https://example.org, *",
                "https://example.org, none",
                "https://example.org:443",
                "http://example.org:80",
                "https://example.org:x",
                "https://example.org:",
                "https://example.org:0",
                "https://example.org:0443",
                "https://example.org:65536",
                "https://example.org:99999",
                "https://example.org:100000",
                "https://[::1]:0",
                "https://[::1]:65536",
                "https://host..name",
                "https://.example.org",
                "https://example.org.",
                "https://-a.example.org",
                "https://a-.example.org",
                "https://[]",
                "https://[::1",
                "https://[::g]",
                "https://exämple.org",
                "https://example\r\n.org",
                "null",
                "https://a,,https://b"
            })
    void whatAreNoOrigins(String text) {
        assertThatThrownBy(() -> ValueTypes.ORIGINS.parse(text)).isInstanceOf(BadValueException.class);
    }
}
