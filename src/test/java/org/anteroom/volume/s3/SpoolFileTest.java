package org.anteroom.volume.s3;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SpoolFileTest {
    @TempDir
    Path folder;

    /** As when a fill that was taken for dead is cleaned up while its thread goes on. */
    @Test
    void whatIsWrittenWhileTheFileIsGivenUpIsNotCountedForEver() throws Exception {
        try (Spool spool = new Spool(new SpoolSettings(folder.resolve("spool"), 1 << 20))) {
            for (int i = 0; i < 1000; i++) {
                SpoolFile file = spool.create();
                CountDownLatch writing = new CountDownLatch(1);
                CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> {
                    ByteBuffer bytes = ByteBuffer.allocate(100);
                    try {
                        while (true) {
                            file.write(bytes.clear());
                            writing.countDown();
                        }
                    } catch (IOException e) {
                        // given up
                    }
                });
                writing.await();
                file.release();
                writer.get();
                assertThat(spool.used()).isZero();
            }
        }
    }
}
