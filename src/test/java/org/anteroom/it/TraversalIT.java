package org.anteroom.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.anteroom.testing.RawHttp;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Nothing outside the archive is served, and no way of writing an address leads to another servlet. */
class TraversalIT {
    private static final String SECRET = "the secret that lies beside the archive";

    /** Each leads, in somebody's reading, from the dataset's folder to {@code archive/../secret.txt}. */
    private static final List<String> OUT = List.of(
            "/files/d/../../secret.txt",
            "/files/d/sub/../../../secret.txt",
            "/files/../secret.txt",
            "/files/d/%2e%2e/%2e%2e/secret.txt",
            "/files/d/%2E./.%2E/secret.txt",
            "/files/%2e%2e/secret.txt",
            "/files/..%2f/secret.txt",
            "/files/d/..%2f..%2fsecret.txt",
            "/files/d/%2e%2e%2f%2e%2e%2fsecret.txt",
            "/files/d%2f..%2f../secret.txt",
            "/files/d/..%5c..%5csecret.txt",
            "/files/d/%2e%2e%5c%2e%2e%5csecret.txt",
            "/files/d/..\\..\\secret.txt",
            "/files/d/..;/..;/secret.txt",
            "/files/d/..;a=b/..;a=b/secret.txt",
            "/files/d/%2e%2e;/%2e%2e;/secret.txt",
            "/files/d/;/../../secret.txt",
            "/files/d/./../../secret.txt",
            "/files/d//../..//secret.txt",
            "/files/d/%252e%252e/%252e%252e/secret.txt",
            "/files/d/%252e%252e%252fsecret.txt",
            "/files/d/%c0%ae%c0%ae/%c0%ae%c0%ae/secret.txt",
            "/files/d/%uff0e%uff0e/secret.txt",
            "/files/d/link.txt",
            "/files/d/linked/secret.txt",
            "/files/linked/secret.txt",
            "/files/d/link.txt%00",
            "/files/d/inside.txt%00.png",
            "/files/d/inside.txt\0",
            "/files/d/inside%0d%0aX-Evil:%201.txt",
            "/files/d/inside%01.txt",
            "/files/d/inside\1.txt",
            "/files/d/inside%7f.txt",
            "/files/d/inside%C2%85.txt",
            "/files//d/inside.txt",
            "//files/d/inside.txt",
            "/files/d/inside.txt/",
            "/files/d/inside.txt/.",
            "/files/d/inside.txt/..",
            "/files/d/%",
            "/files/d/%2",
            "/files/d/%zz",
            "/files/d/%ff%fe",
            "/files//etc/passwd",
            "/files/%2fetc/passwd",
            "/files/%2fetc%2fpasswd",
            "/files/d//etc/passwd",
            "/files/d/%2fetc%2fpasswd",
            "/WEB-INF/web.xml",
            "/files/../WEB-INF/web.xml",
            "/files/%2e%2e/WEB-INF/web.xml",
            "/files/..;/WEB-INF/web.xml",
            "/%57EB-INF/web.xml");

    /** Each leads to the health, the metrics or the API if a container normalises it. */
    private static final List<String> ELSEWHERE = List.of(
            "/files/a/%2e%2e/%2e%2e/health/live",
            "/files/a/../../health/live",
            "/files/..;/health/live",
            "/files/%2e%2e/metrics",
            "/files/..%2fmetrics",
            "/files/;x/../../metrics",
            "/api/v1/%2e%2e/%2e%2e/files/d/inside.txt",
            "/health/%2e%2e/metrics",
            "/health/..;/metrics",
            "/health;x/live",
            "/health/live;x");

    @TempDir
    Path folder;

    @ParameterizedTest
    @EnumSource
    void nothingOutsideIsServed(Site.Server server) throws Exception {
        try (Site site = Site.start(server, folder)) {
            layOut(site);
            for (String target : OUT) {
                refused(site, target);
            }
            // the container asks for a login first, by the address as it understands it
            assertThat(RawHttp.get(site.uri(), "/files/a/%2e%2e/%2e%2e/api/v1/volumes")
                            .status())
                    .isEqualTo(401);
            for (String target : ELSEWHERE) {
                RawHttp.Response answer = refused(site, target);
                assertThat(answer.text()).as(target).doesNotContain("\"live\"", "anteroom_", "capacity");
            }
            assertThat(site.get("inside.txt").text()).isEqualTo("inside");
            assertThat(RawHttp.get(site.uri(), "/files/d/link-inside.txt").text())
                    .isEqualTo("inside");
            assertThat(RawHttp.get(site.uri(), "/health/live").status()).isEqualTo(200);
        }
    }

    private static RawHttp.Response refused(Site site, String target) throws Exception {
        RawHttp.Response answer = RawHttp.get(site.uri(), target);
        assertThat(answer.status()).as("%s: %s", target, answer.text()).isIn(400, 404);
        assertThat(answer.text()).as(target).doesNotContain(SECRET, "root:", "inside\n", "web-app");
        assertThat(answer.headers()).as(target).noneMatch(header -> header.startsWith("X-Evil"));
        return answer;
    }

    private void layOut(Site site) throws Exception {
        Path dataset = site.archiveFolder().resolve(Site.DATASET);
        Files.writeString(folder.resolve("secret.txt"), SECRET);
        Files.createDirectories(dataset.resolve("sub"));
        Files.writeString(dataset.resolve("inside.txt"), "inside");
        Files.createSymbolicLink(dataset.resolve("link-inside.txt"), Path.of("inside.txt"));
        Files.createSymbolicLink(dataset.resolve("link.txt"), folder.resolve("secret.txt"));
        Files.createSymbolicLink(dataset.resolve("linked"), folder);
        Files.createSymbolicLink(site.archiveFolder().resolve("linked"), folder);
    }
}
