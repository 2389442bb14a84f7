package org.anteroom.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.time.InstantSource;
import org.anteroom.delivery.FileHeaders;
import org.anteroom.delivery.FileRequest;
import org.anteroom.delivery.ResponsePlan;
import org.anteroom.model.FileFacts;
import org.anteroom.model.FileKey;
import org.anteroom.model.Sha256;
import org.anteroom.testing.PlainHeaders;
import org.junit.jupiter.api.Test;

/** What reading the address and deciding the answer of a hit costs in memory, counted by the JVM. */
class HotPathAllocationTest {
    private static final int REQUESTS = 2_000;
    private static final long BYTES_PER_REQUEST = 700;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final InstantSource clock = InstantSource.system();
    private final FileHeaders file = PlainHeaders.of(
            FileKey.of("ark:/12345/xyz", "folder/data.csv"),
            new FileFacts(10, Instant.EPOCH, "\"1\"", Sha256.of(new byte[0]), null));
    private long length;

    @Test
    void aHitStaysInItsBudget() throws IOException {
        serve();
        long before = threads.getCurrentThreadAllocatedBytes();
        serve();
        long bytes = threads.getCurrentThreadAllocatedBytes() - before;
        assertThat(length).isPositive();
        assertThat(bytes / REQUESTS).isLessThan(BYTES_PER_REQUEST);
    }

    private void serve() throws IOException {
        for (int i = 0; i < REQUESTS; i++) {
            FileTarget target = FileTarget.parse("/files/ark:/12345/xyz/folder/data.csv", null);
            FileRequest request = new FileRequest(false, false, null, null, null, null, null, null, null);
            ResponsePlan plan = ResponsePlan.decide(request, file, clock);
            plan.forEachHeader((name, value) -> length += value.length());
            length += target instanceof FileTarget.File ? 1 : 0;
        }
    }
}
