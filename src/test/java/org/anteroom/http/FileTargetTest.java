package org.anteroom.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.anteroom.model.FileKey;
import org.anteroom.model.FolderKey;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** From raw addresses to what they name. */
class FileTargetTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "/files/ds/a                             | ds                      | a",
                "/files/ds/a/b/c.csv                     | ds                      | a/b/c.csv",
                "/files/ark:/12345/xyz/a                 | ark:/12345/xyz          | a",
                "/files/ark:12345/xyz/a/b                | ark:12345/xyz           | a/b",
                "/files/ark:%2F12345%2Fxyz/a             | ark:/12345/xyz          | a",
                "/files/ark:%2F12345/xyz/a               | ark:/12345/xyz          | a",
                "/files/ark%3A/12345/xyz/a               | ark:/12345/xyz          | a",
                "/files/ark:/12345/x%2Fy/a               | ark:/12345/x/y          | a",
                "/files/doi:10.5061/dryad.1/a            | doi:10.5061/dryad.1     | a",
                "/files/doi:10.5061/dryad.1%2F2%2f3/a/b  | doi:10.5061/dryad.1/2/3 | a/b",
                "/files/doi:10.5061%2Fdryad.1/a          | doi:10.5061/dryad.1     | a",
                "/files/doi:10.1002/(SICI)19:15%3C1661::AID%3E3.0.CO;2-2/a | doi:10.1002/(SICI)19:15<1661::AID>3.0.CO;2-2 | a",
                "/files/doi:other/a                      | doi:other               | a",
                "/files/x%2Fy/a                          | x/y                     | a",
                "/files/ds/%E8%A6%B3%E6%B8%AC%20%22%25.nc | ds                     | 観測 \"%.nc",
                "/files/ds/100%25                        | ds                      | 100%",
                "/files/ds/%252e%252e                    | ds                      | %2e%2e",
                "/files/ds/a+b                           | ds                      | a+b",
                "/files/ds/a%3Fb%23c                     | ds                      | a?b#c",
                "/files/ds/a;b                           | ds                      | a;b",
                "/files/ds/a%3Bb                         | ds                      | a;b",
                "/files/ds/a;jsessionid=1/b              | ds                      | a;jsessionid=1/b",
                "/files/ds/..%3B                         | ds                      | ..;",
                "/files/ds/%3B                           | ds                      | ;",
                "/files/ds/a%5Cb                         | ds                      | a\\b",
                "/files/ds/a\\b                          | ds                      | a\\b",
                "/files/ds/...                           | ds                      | ...",
                "/files/ds/..a                           | ds                      | ..a",
                "/files/ds/.hidden                       | ds                      | .hidden",
                "/files/ds/a%40b'*~                      | ds                      | a@b'*~"
            })
    void files(String raw, String dataset, String path) throws IOException {
        assertThat(FileTarget.parse(raw, null)).isEqualTo(new FileTarget.File(FileKey.of(dataset, path), false));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/files/ds/                | ds                  | ''",
                "/files/ds/a/              | ds                  | a",
                "/files/ds/a/b%20c/        | ds                  | a/b c",
                "/files/ark:/12345/xyz/    | ark:/12345/xyz      | ''",
                "/files/doi:10.5061/x%2F1/ | doi:10.5061/x/1     | ''"
            })
    void listings(String raw, String dataset, String folder) throws IOException {
        assertThat(FileTarget.parse(raw, "version=2"))
                .isEqualTo(new FileTarget.Listing(new FolderKey(dataset, folder, "2")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/", "/files", "/filesystem/ds/a", "/FILES/ds/a", "/%66iles/ds/a", "/health/live"})
    void others(String raw) throws IOException {
        assertThat(FileTarget.parse(raw, null)).isEqualTo(new FileTarget.Other());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/files/",
                "/files//a",
                "/files/ds//a",
                "/files/ds/a//b",
                "/files/ds//",
                "/files/ds/a//",
                "/files/./a",
                "/files/../a",
                "/files/ds/.",
                "/files/ds/..",
                "/files/ds/./",
                "/files/ds/../",
                "/files/ds/../../etc/passwd",
                "/files/ds/a/../b",
                "/files/ds/%2e",
                "/files/ds/%2E%2e/x",
                "/files/ds/.%2e/x",
                "/files/ds/..;/x",
                "/files/ds/..;x=1/x",
                "/files/ds/%2e%2e;/x",
                "/files/ds/.;/x",
                "/files/ds/;/x",
                "/files/ds/;a",
                "/files/..;/x",
                "/files/ds/..%5Cx",
                "/files/ds/..%5c..%5cetc%5cpasswd",
                "/files/ds/a%5C..",
                "/files/ds/a\\..\\b",
                "/files/ds/a%2Fb",
                "/files/ds/..%2F..%2Fetc%2Fpasswd",
                "/files/ds/%2f",
                "/files/%2e%2e%2fds/a",
                "/files/ds%2F..%2Fx/a",
                "/files/ds%2F/a",
                "/files/%2Fds/a",
                "/files/ark://xyz/a",
                "/files/ark:/12345//a",
                "/files/ark:/../xyz/a",
                "/files/ark:/12345/%2e%2e/a",
                "/files/ark:",
                "/files/ark:/12345",
                "/files/ark:12345",
                "/files/doi:10.5061",
                "/files/doi:10.5061//a",
                "/files/ds/a%00",
                "/files/ds/%00",
                "/files/ds/a%0Ab",
                "/files/ds/a%0d",
                "/files/ds/a%7F",
                "/files/ds/a%C2%85",
                "/files/ds%00/a",
                "/files/ds/a\u0000",
                "/files/ds/a\n",
                "/files/ds/a b",
                "/files/ds/\u00e9",
                "/files/ds/%",
                "/files/ds/%4",
                "/files/ds/%zz",
                "/files/ds/%4/1",
                "/files/ds/%+1",
                "/files/ds/%u0041",
                "/files/ds/%FF",
                "/files/ds/%C3",
                "/files/ds/%C0%AE%C0%AE",
                "/files/ds/%C0%AF",
                "/files/ds/%E0%80%AF",
                "/files/ds/%ED%A0%80",
                "/files/ds/%F4%90%80%80"
            })
    void malformed(String raw) {
        assertFails(raw, null, FailureReason.MALFORMED);
    }

    @ParameterizedTest
    @CsvSource({
        "/files/ds, ds",
        "/files/ark:/12345/xyz, ark:/12345/xyz",
        "/files/ark:12345/xyz, ark:12345/xyz",
        "/files/doi:10.1/x, doi:10.1/x",
        "/files/x%2Fy, x/y"
    })
    void anIdAloneIsADataset(String raw, String dataset) throws IOException {
        assertThat(FileTarget.parse(raw, "version=2"))
                .isEqualTo(new FileTarget.Dataset(new FolderKey(dataset, "", "2")));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "version=1.0                 | 1.0   | false",
                "a=b&version=%C3%A9+x&c      | 'é x' | false",
                "version=a%2Bb               | a+b   | false",
                "version=a%2Fb%40c           | a/b@c | false",
                "version=                    |       | false",
                "version                     |       | false",
                "Version=1                   |       | false",
                "xversion=1&version2=1       |       | false",
                "disposition=inline          |       | true",
                "disposition=attachment      |       | false",
                "version=1&disposition=inline| 1     | true",
                "broken=%&&=&                |       | false",
                "''                          |       | false"
            })
    void queries(String query, @Nullable String version, boolean inline) throws IOException {
        assertThat(FileTarget.parse("/files/ds/a", query))
                .isEqualTo(new FileTarget.File(new FileKey("ds", "a", version), inline));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "version=%",
                "version=%FF",
                "version=%00",
                "version=1&version=1",
                "version=a b",
                "disposition=",
                "disposition=open",
                "disposition=inline&disposition=inline"
            })
    void malformedQueries(String query) {
        assertFails("/files/ds/a", query, FailureReason.MALFORMED);
    }

    @Test
    void anAddressIsAsLongAsAKeyMayBe() throws IOException {
        String longest = "x".repeat(FileKey.MAX_OBJID_BYTES - 3);
        assertThat(FileTarget.parse("/files/ds/" + longest, null)).isInstanceOf(FileTarget.File.class);
        assertFails("/files/ds/x" + longest, null, FailureReason.MALFORMED);
        assertFails("/files/ds/x" + longest + "/", null, FailureReason.MALFORMED);
        assertFails("/files/ds/" + longest, "version=1", FailureReason.MALFORMED);
        assertFails("/files/" + "@".repeat(683) + "/a", null, FailureReason.MALFORMED);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/"})
    void anIdAloneIsAsLongAsAKeyMayBe(String end) throws IOException {
        String longest = "x".repeat(FileKey.MAX_OBJID_BYTES - 1);
        assertThat(FileTarget.parse("/files/" + longest + end, null)).isNotInstanceOf(FileTarget.Other.class);
        assertFails("/files/x" + longest + end, null, FailureReason.MALFORMED);
        assertFails("/files/" + longest + end, "version=1", FailureReason.MALFORMED);
        assertFails("/files/" + "@".repeat(683) + end, null, FailureReason.MALFORMED);
        assertFails("/files/" + "%E6%B0%B4".repeat(683) + end, null, FailureReason.MALFORMED);
        assertFails("/files/doi:10.1/x" + longest + end, null, FailureReason.MALFORMED);
    }

    @Test
    void thereMayBeOtherPrefixes() throws IOException {
        assertThat(FileTarget.below("/api/v1/objects/", "/api/v1/objects/ark:/1/x/a;b", "version=1"))
                .isEqualTo(new FileTarget.File(new FileKey("ark:/1/x", "a;b", "1"), false));
    }

    private static void assertFails(String raw, @Nullable String query, FailureReason reason) {
        assertThatThrownBy(() -> FileTarget.parse(raw, query))
                .isInstanceOfSatisfying(
                        FailureException.class, e -> assertThat(e.reason()).isEqualTo(reason));
    }
}
