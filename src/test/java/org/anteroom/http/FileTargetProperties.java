package org.anteroom.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.anteroom.model.FileKey;

/** What holds for every address. */
class FileTargetProperties {

    @Property
    void everyEncodedNameComesBack(
            @ForAll("names") String dataset, @ForAll("names") String first, @ForAll("names") String last)
            throws IOException {
        String raw = "/files/" + encode(dataset) + "/" + encode(first) + "/" + encode(last);
        assertThat(FileTarget.parse(raw, null))
                .isEqualTo(new FileTarget.File(FileKey.of(dataset, first + "/" + last), false));
    }

    @Property
    void nothingButTargetsAndFailuresComesOut(@ForAll("addresses") String raw) {
        try {
            if (FileTarget.parse("/files/" + raw, raw) instanceof FileTarget.File file) {
                assertThat(FileKey.parse(file.key().objid())).isEqualTo(file.key());
            }
        } catch (FailureException e) {
            assertThat(e.reason()).isIn(FailureReason.MALFORMED, FailureReason.NOT_FOUND);
        }
    }

    /** Names that a file system can hold: anything but slashes and control characters, and no way upwards. */
    @Provide
    Arbitrary<String> names() {
        return Arbitraries.strings()
                .all()
                .ofMinLength(1)
                .ofMaxLength(20)
                .filter(s -> s.chars().noneMatch(c -> c == '/' || Character.isISOControl(c))
                        && StandardCharsets.UTF_8.newEncoder().canEncode(s)
                        && !s.equals(".")
                        && !s.contains("..")
                        && !s.startsWith("ark:")
                        && !s.startsWith("doi:"));
    }

    @Provide
    Arbitrary<String> addresses() {
        return Arbitraries.oneOf(
                Arbitraries.strings().all().ofMaxLength(30),
                Arbitraries.strings().withChars("ab.%2eEfF5cC;/\\@:arkdoi10?=&").ofMaxLength(30));
    }

    private static String encode(String name) {
        return URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
