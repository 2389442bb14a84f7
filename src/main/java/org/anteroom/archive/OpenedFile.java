package org.anteroom.archive;

import org.anteroom.model.FileFacts;

/**
 * A file that was opened to learn of it.
 *
 * @param facts the same as {@link Archive#head} says
 * @param stream its bytes from the beginning, as {@link Archive#open} has them with these facts; who gets it closes it
 */
public record OpenedFile(FileFacts facts, ArchiveStream stream) {}
