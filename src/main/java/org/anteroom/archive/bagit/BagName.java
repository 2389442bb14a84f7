package org.anteroom.archive.bagit;

import java.util.Comparator;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The name of a bag in the archive's folder: {@code NAME}, or {@code NAME[.VERSION].mbagM_N-SEQ} in a sequence of the
 * Multibag profile M.N, where the version has underscores instead of dots; {@code .zip} or {@code .tar} at its end.
 *
 * @param bag without what tells the form, as other bags call it
 * @param dataset the dataset's id, encoded as in {@link org.anteroom.model.FileKey#encode}
 * @param version as the name tells it; null if it does not
 * @param sequence its place in its sequence; -1 for a single bag
 */
record BagName(String bag, String dataset, @Nullable Version version, long sequence, Form form) {

    /** How a bag is stored. */
    enum Form {
        FOLDER(""),
        ZIP(".zip"),
        TAR(".tar");

        private final String ending;

        Form(String ending) {
            this.ending = ending;
        }
    }

    /** Newer bags of a dataset after older ones; of the same bag in several forms, the one to be read last. */
    static final Comparator<BagName> BY_AGE = Comparator.comparing(BagName::versionOrFirst)
            .thenComparing(BagName::sequence)
            .thenComparing(BagName::bag)
            .thenComparing(BagName::form, Comparator.reverseOrder());

    private static final Pattern SEQUENCE = Pattern.compile(
            "(?<dataset>.+?)(?:\\.(?<version>\\d{1,18}(?:_\\d{1,18}){0,9}))?\\.mbag\\d{1,9}_\\d{1,9}-(?<sequence>\\d{1,18})");

    /** What the name of a file or folder says; empty if it is none that bags have. */
    static Optional<BagName> parse(String name) {
        Form form = form(name);
        String bag = name.substring(0, name.length() - form.ending.length());
        if (bag.isEmpty() || bag.startsWith(".")) {
            return Optional.empty();
        }
        // the pattern would look for its end again and again in names of other kinds
        Matcher matcher = bag.contains(".mbag") ? SEQUENCE.matcher(bag) : null;
        if (matcher == null || !matcher.matches()) {
            return Optional.of(new BagName(bag, bag, null, -1, form));
        }
        String version = matcher.group("version");
        return Optional.of(new BagName(
                bag,
                matcher.group("dataset"),
                version == null
                        ? null
                        : Version.parse(version.replace('_', '.')).orElseThrow(),
                Long.parseLong(matcher.group("sequence")),
                form));
    }

    private static Form form(String name) {
        for (Form form : Form.values()) {
            if (form != Form.FOLDER && name.endsWith(form.ending)) {
                return form;
            }
        }
        return Form.FOLDER;
    }

    /** The name of the file or folder. */
    String fileName() {
        return bag + form.ending;
    }

    /** Whether it belongs to a sequence. */
    boolean isOfSequence() {
        return sequence >= 0;
    }

    /** The version that it counts as. */
    Version versionOrFirst() {
        return version == null ? Version.FIRST : version;
    }
}
