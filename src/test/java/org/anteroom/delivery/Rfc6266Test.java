package org.anteroom.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** RFC 6266 and RFC 8187: the name under which a file is kept. */
class Rfc6266Test {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "data.csv        | attachment; filename=\"data.csv\"",
                "it's (1); a.txt | attachment; filename=\"it's (1); a.txt\"",
                "a\"b            | attachment; filename=\"a_b\"; filename*=UTF-8''a%22b",
                "a\\b            | attachment; filename=\"a_b\"; filename*=UTF-8''a%5Cb",
                "100%25.txt      | attachment; filename=\"100_25.txt\"; filename*=UTF-8''100%2525.txt",
                "Möbius.nc       | attachment; filename=\"M_bius.nc\"; filename*=UTF-8''M%C3%B6bius.nc",
                "観\"測.nc       | attachment; filename=\"___.nc\"; filename*=UTF-8''%E8%A6%B3%22%E6%B8%AC.nc",
                "\uD83D\uDE00    | attachment; filename=\"_\"; filename*=UTF-8''%F0%9F%98%80",
                "é'*(x)&+.txt    | attachment; filename=\"_'*(x)&+.txt\"; filename*=UTF-8''%C3%A9%27%2A%28x%29&+.txt"
            })
    void everyNameMakesOneWellFormedField(String name, String expected) {
        assertThat(ContentDisposition.attachment(name)).isEqualTo(expected);
    }

    @Test
    void lineBreaksCannotEndTheField() {
        assertThat(ContentDisposition.attachment("a\r\nb"))
                .isEqualTo("attachment; filename=\"a__b\"; filename*=UTF-8''a%0D%0Ab");
    }

    @Test
    void inlineDiffersInTheTypeAlone() {
        assertThat(ContentDisposition.inline(ContentDisposition.attachment("ä")))
                .isEqualTo("inline; filename=\"_\"; filename*=UTF-8''%C3%A4");
    }

    @ParameterizedTest
    @CsvSource({
        "a.csv, text/csv",
        "a.CSV, text/csv",
        "folder.csv/a.nc, application/x-netcdf",
        "a.tar.gz, application/gzip",
        "a, application/octet-stream",
        "a., application/octet-stream",
        "folder.csv/a, application/octet-stream",
        "a.unheard-of, application/octet-stream",
        ".json, application/json"
    })
    void typesGoBySuffix(String name, String expected) {
        assertThat(new ContentTypes(Map.of()).of(name)).isEqualTo(expected);
    }
}
