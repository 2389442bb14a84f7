package org.anteroom.http;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bytes that the kernel has taken for a connection and the other side has not acknowledged, as Linux shows them in
 * {@code /proc/net/tcp} and {@code tcp6} (column {@code tx_queue}, proc(5)). A number that changes says that the client
 * takes something, long before the socket has room for more.
 */
final class SendQueues {
    private static final Logger log = LoggerFactory.getLogger(SendQueues.class);

    /** Of the network namespace that this process is in. */
    private static final List<Path> TABLES = List.of(Path.of("/proc/net/tcp"), Path.of("/proc/net/tcp6"));

    /** Lines of one table that are looked at; what stands behind them is not known. */
    private static final int MOST_LINES = 200_000;

    private static final String LISTENING = "0A";

    private final Map<Integer, Long> bytes = new HashMap<>();

    private SendQueues() {}

    /** The queues of these connections now; none is known where there is no such table. */
    static SendQueues of(Set<Integer> wanted) {
        SendQueues queues = new SendQueues();
        for (Path table : TABLES) {
            if (Files.isReadable(table)) {
                try (Reader lines = new InputStreamReader(Files.newInputStream(table), StandardCharsets.ISO_8859_1)) {
                    queues.read(lines, wanted);
                } catch (IOException e) {
                    log.debug("{} cannot be read", table, e);
                }
            }
        }
        return queues;
    }

    /** The queues of these connections in one table. */
    static SendQueues parse(Reader table, Set<Integer> wanted) throws IOException {
        SendQueues queues = new SendQueues();
        queues.read(table, wanted);
        return queues;
    }

    /** Unacknowledged bytes of a connection; null if that is not known. */
    @Nullable
    Long get(TcpConnection connection) {
        return bytes.get(connection.key());
    }

    private void read(Reader table, Set<Integer> wanted) throws IOException {
        BufferedReader lines = new BufferedReader(table, 1 << 16);
        String line = lines.readLine();
        for (int i = 0; line != null && i < MOST_LINES; i++) {
            note(line, wanted);
            line = lines.readLine();
        }
    }

    /** {@code sl: address:port address:port state tx_queue:rx_queue …}, all in hexadecimal digits. */
    private void note(String line, Set<Integer> wanted) {
        int local = line.indexOf(' ', line.indexOf(':') + 1);
        int remote = line.indexOf(' ', local + 1);
        int state = line.indexOf(' ', remote + 1);
        int queue = line.indexOf(' ', state + 1);
        int end = line.indexOf(':', queue + 1);
        if (local < 0 || remote < 0 || state < 0 || queue < 0 || end < 0) {
            return;
        }
        try {
            int key = new TcpConnection(port(line, local, remote), port(line, remote, state)).key();
            if (wanted.contains(key) && !line.startsWith(LISTENING, state + 1)) {
                bytes.merge(key, Long.parseLong(line, queue + 1, end, 16), Long::sum);
            }
        } catch (NumberFormatException e) {
            // the line of headings
        }
    }

    private static int port(String line, int from, int to) {
        return Integer.parseInt(line, line.indexOf(':', from) + 1, to, 16);
    }
}
