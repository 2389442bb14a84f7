package org.anteroom.fill;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import org.anteroom.archive.Archive;
import org.anteroom.archive.ArchiveStream;
import org.anteroom.model.FileFacts;
import org.anteroom.model.FileKey;
import org.anteroom.model.Sha256;
import org.anteroom.tasks.Tasks;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads files again that were found wrong and cannot be filled, to see whether they are right by now: one after the other,
 * and for nobody's eyes. Only who has read the whole believes a file again.
 */
public final class SecondLook {
    private static final int WAITING = 100;
    private static final int BUFFER = 256 * 1024;

    private static final Logger log = LoggerFactory.getLogger(SecondLook.class);

    private final Archive archive;
    private final WrongBytes wrong;
    private final ExecutorService thread;

    /**
     * Nothing is looked at yet.
     *
     * @param archive for work that can wait; bounded in time
     */
    public SecondLook(Archive archive, WrongBytes wrong, Tasks tasks) {
        this.archive = archive;
        this.wrong = wrong;
        this.thread = tasks.pool("second-look", 1, WAITING);
    }

    /** Reads a file as soon as it is its turn; does not wait. */
    void begin(FileKey key, FileFacts facts) {
        try {
            thread.execute(() -> look(key, facts));
        } catch (RejectedExecutionException e) {
            log.debug("{} is looked at later: too many wait for it", key, e);
        }
    }

    private void look(FileKey key, FileFacts facts) {
        try {
            if (isRight(key, facts)) {
                wrong.forget(key.objid());
                log.info("The bytes of {} in the archive are right by now", key.objid());
            }
        } catch (IOException e) {
            log.debug("{} is not believed yet: {}", key, e.getMessage());
        }
    }

    private boolean isRight(FileKey key, FileFacts facts) throws IOException {
        MessageDigest digester = Sha256.digester();
        ByteBuffer buffer = ByteBuffer.allocate(BUFFER);
        long size = 0;
        try (ArchiveStream stream = archive.open(key, facts, 0)) {
            while (stream.read(buffer.clear()) >= 0) {
                buffer.flip();
                size += buffer.remaining();
                digester.update(buffer);
            }
        }
        return (!facts.hasSize() || size == facts.size())
                && (facts.sha256() == null || facts.sha256().equals(Sha256.of(digester)));
    }
}
