package org.anteroom.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.anteroom.http.AccessSettings;
import org.anteroom.http.AccessSettings.Access;
import org.anteroom.testing.RawHttp;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The API while its database is away. */
class DatabaseAwayTest {
    @ParameterizedTest
    @CsvSource({
        "GET,/api/v1/volumes",
        "GET,/api/v1/volumes/fast",
        "GET,/api/v1/objects?prefix=d",
        "GET,/api/v1/objects/d/a.txt",
        "PUT,/api/v1/objects/d/a.txt",
        "GET,/api/v1/fills",
        "DELETE,/api/v1/fills/1",
        "DELETE,/api/v1/objects/d/a.txt"
    })
    void what_needs_it_is_503_and_says_no_more_than_that(String method, String target, @TempDir Path folder)
            throws Exception {
        try (TestInventory inventory = new TestInventory(folder);
                AdminServer server = server(folder, inventory)) {
            RawHttp.Response response = server.send("operator", method, target, "X-Anteroom-Request: 1");

            assertThat(response.status()).isEqualTo(503);
            assertThat(response.header("Retry-After")).isPresent();
            assertThat(AdminServer.json(response).path("detail").asText())
                    .isEqualTo("The inventory's database is away.");
        }
    }

    @Test
    void the_pools_are_told_all_the_same(@TempDir Path folder) throws Exception {
        try (TestInventory inventory = new TestInventory(folder);
                AdminServer server = server(folder, inventory)) {
            assertThat(server.json("/api/v1/pools").path("items").size()).isEqualTo(1);
        }
    }

    private static AdminServer server(Path folder, TestInventory inventory) throws Exception {
        return new AdminServer(
                folder,
                new AccessSettings(Access.OPEN, Access.OPEN, Access.OPEN),
                Map.of("/api/*", inventory.servlet()));
    }
}
