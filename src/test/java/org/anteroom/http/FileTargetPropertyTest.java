package org.anteroom.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.anteroom.model.FileKey;
import org.anteroom.testing.Samples;
import org.junit.jupiter.api.Test;

/** What holds for every address. */
class FileTargetPropertyTest {
    private final Samples samples = new Samples();

    @Test
    void every_encoded_name_comes_back() throws IOException {
        for (int i = 0; i < Samples.TRIES; i++) {
            String dataset = name();
            String path = name() + "/" + name();
            String raw = "/files/" + encode(dataset) + "/" + encode(path).replace("%2F", "/");
            assertThat(FileTarget.parse(raw, null))
                    .as(raw)
                    .isEqualTo(new FileTarget.File(FileKey.of(dataset, path), false));
        }
    }

    @Test
    void nothing_but_targets_and_failures_comes_out() {
        for (int i = 0; i < Samples.TRIES; i++) {
            String raw = samples.flag() ? samples.text(30) : samples.text("ab.%2eEfF5cC;/\\@:arkdoi10?=&", 0, 30);
            try {
                if (FileTarget.parse("/files/" + raw, raw) instanceof FileTarget.File file) {
                    assertThat(FileKey.parse(file.key().objid())).as(raw).isEqualTo(file.key());
                }
            } catch (FailureException e) {
                assertThat(e.reason()).as(raw).isIn(FailureReason.MALFORMED, FailureReason.NOT_FOUND);
            }
        }
    }

    /** A name that a file system can hold: anything but slashes and control characters, and no way upwards. */
    private String name() {
        return samples.text(
                6,
                s -> !s.isEmpty()
                        && s.chars().noneMatch(c -> c == '/' || Character.isISOControl(c))
                        && StandardCharsets.UTF_8.newEncoder().canEncode(s)
                        && !s.equals(".")
                        && !s.contains("..")
                        && !s.startsWith("ark:")
                        && !s.startsWith("doi:"));
    }

    private static String encode(String name) {
        return URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
