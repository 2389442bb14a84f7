package org.anteroom.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.anteroom.testing.RawHttp;
import org.anteroom.testing.TomcatProcess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;

/** What a browser makes of files, listings and errors, over TLS and HTTP/2. */
class BrowserIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String QUOTED = "潮汐データ \"2024\".csv";

    /** Chromium saves no double quote in a name, whatever the system would take. */
    private static final String SAVED = "潮汐データ _2024_.csv";

    private static final String HOSTILE =
            "<!doctype html><title>stored</title><p id=p>as stored</p><script>document.title='run';"
                    + "document.getElementById('p').textContent='run'</script>";

    // the browser writes to its profile until after its end
    @TempDir(cleanup = CleanupMode.NEVER)
    Path profile;

    @TempDir
    Path folder;

    private TomcatProcess tomcat;
    private ChromeDriver browser;
    private Path downloads;

    @BeforeEach
    void start() throws Exception {
        Path archive = folder.resolve("archive");
        downloads = Files.createDirectories(folder.resolve("downloads"));
        browser = Browser.open(profile, downloads);
        Archived.put(archive, "set", QUOTED, 50_000, 1);
        Archived.put(archive, "set", "folder/inner.txt", 10, 2);
        Files.writeString(archive.resolve("set/hostile.html"), HOSTILE);
        tomcat = TomcatProcess.tomcat11(folder.resolve("base"))
                .withTls()
                .property("anteroom.archive.location", archive.toString())
                .start();
    }

    @AfterEach
    void stop() {
        browser.quit();
        tomcat.close();
    }

    private static String encoded(String name) {
        return URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20");
    }

    @Test
    void aFileIsDownloadedUnderItsNameFromItsListing() throws Exception {
        RawHttp.Response answer = RawHttp.get(tomcat.uri(), "/files/set/" + encoded(QUOTED));
        assertThat(answer.header("Content-Disposition"))
                .hasValueSatisfying(value -> assertThat(value)
                        .matches(
                                "attachment; filename=\"[ -~&&[^\"\\\\]]*\"; filename\\*=UTF-8''[A-Za-z0-9!#$&+.^_`|~%-]+")
                        .endsWith("''" + encoded(QUOTED)));

        browser.get(tomcat.tls() + "files/set/");
        assertThat(browser.executeScript("return performance.getEntriesByType('navigation')[0].nextHopProtocol"))
                .isEqualTo("h2");
        List<String> links = browser.findElements(By.tagName("a")).stream()
                .map(WebElement::getText)
                .toList();
        assertThat(links).contains(QUOTED, "hostile.html");
        browser.findElement(By.linkText(QUOTED)).click();

        await().atMost(PATIENCE).until(() -> downloaded().equals(List.of(SAVED)));
        assertThat(downloads.resolve(SAVED)).hasBinaryContent(answer.body());

        browser.findElement(By.partialLinkText("folder")).click();
        await().atMost(PATIENCE).until(() -> browser.getCurrentUrl().endsWith("/files/set/folder/"));
        assertThat(browser.findElement(By.linkText("inner.txt")).isDisplayed()).isTrue();
    }

    private List<String> downloaded() throws IOException {
        try (Stream<Path> files = Files.list(downloads)) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }

    @Test
    void anErrorIsAPage() {
        browser.get(tomcat.tls() + "files/set/" + encoded("<b>not there"));
        assertThat(browser.getTitle()).isNotEmpty();
        assertThat(browser.findElement(By.tagName("body")).getText()).contains("404");
        assertThat(browser.findElements(By.tagName("b"))).isEmpty();
    }

    @Test
    void aStoredPageThatIsShownRunsNothing() {
        browser.get(tomcat.tls() + "files/set/hostile.html?disposition=inline");
        assertThat(browser.getTitle()).isEqualTo("stored");
        assertThat(browser.findElement(By.id("p")).getText()).isEqualTo("as stored");
        assertThat(browser.executeScript("return self.origin")).isEqualTo("null");
    }
}
