package org.anteroom.archive.bagit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.Charset;
import java.nio.charset.IllegalCharsetNameException;
import java.nio.charset.UnsupportedCharsetException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What {@code bagit.txt} says (RFC 8493, section 2.1.1).
 *
 * @param encoding of all other tag files
 * @param beforeRfc whether the bag is of a draft before version 1.0, when many did not escape paths in manifests
 */
record Declaration(Charset encoding, boolean beforeRfc) {
    static final String NAME = "bagit.txt";

    private static final int MOST_LINES = 100;

    static Declaration read(InputStream in) throws IOException {
        Charset encoding = UTF_8;
        boolean beforeRfc = true;
        TagLines lines = new TagLines(in, UTF_8);
        String line = lines.next();
        for (int i = 0; line != null && i < MOST_LINES; i++) {
            String version = value(line, "bagit-version");
            if (version != null) {
                beforeRfc = version.startsWith("0.");
            }
            String name = value(line, "tag-file-character-encoding");
            if (name != null) {
                encoding = charset(name);
            }
            line = lines.next();
        }
        return new Declaration(encoding, beforeRfc);
    }

    private static @Nullable String value(String line, String label) {
        int colon = line.indexOf(':');
        return colon >= 0
                        && line.substring(0, colon)
                                .strip()
                                .toLowerCase(Locale.ROOT)
                                .equals(label)
                ? line.substring(colon + 1).strip()
                : null;
    }

    private static Charset charset(String name) throws IOException {
        try {
            return Charset.forName(name);
        } catch (IllegalCharsetNameException | UnsupportedCharsetException e) {
            throw Damage.bag("tag files in an encoding that is not known: " + name);
        }
    }
}
