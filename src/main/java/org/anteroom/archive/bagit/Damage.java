package org.anteroom.archive.bagit;

import java.io.IOException;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;

/** The failures that this kind of archive has. */
final class Damage {

    private Damage() {}

    /**
     * A bag that cannot be read as one.
     *
     * @param detail what is wrong with it, for the log
     */
    static FailureException bag(String detail) {
        return new FailureException(
                FailureReason.ARCHIVE_FAILED,
                "The bag that should hold the file is damaged, or of a kind that cannot be read.",
                new IOException(detail));
    }

    static FailureException noFile() {
        return new FailureException(FailureReason.NOT_FOUND, "The archive has no such file.");
    }

    static FailureException noDataset() {
        return new FailureException(FailureReason.NOT_FOUND, "The archive has no such dataset.");
    }

    static FailureException noFolder() {
        return new FailureException(FailureReason.NOT_FOUND, "The archive has no such folder.");
    }

    static FailureException changed() {
        return new FailureException(
                FailureReason.FILE_CHANGED, "The file has changed in the archive; ask again for the new one.");
    }

    static FailureException wrongBytes(String what) {
        return new FailureException(FailureReason.WRONG_BYTES, "The file cannot be delivered: " + what + ".");
    }
}
