package org.anteroom.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.io.Reader;
import java.io.StringReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** The send queues as they stand in recorded tables, and in this machine's own. */
class SendQueuesTest {
    private static final TcpConnection SLOW = new TcpConnection(8080, 0xD2F4);
    private static final TcpConnection HALF_CLOSED = new TcpConnection(8080, 0xC001);
    private static final TcpConnection OVER_IPV6 = new TcpConnection(8443, 0xE1A2);

    @Test
    void aQueueIsFoundByTheConnectionsPorts() throws IOException {
        SendQueues queues = recorded("tcp", SLOW, HALF_CLOSED);
        assertThat(queues.get(SLOW)).isEqualTo(0x281B3CL);
        assertThat(queues.get(HALF_CLOSED)).isEqualTo(0xA5A5L);
    }

    @Test
    void whatWasNotAskedForOrIsNotThereIsUnknown() throws IOException {
        TcpConnection none = new TcpConnection(8080, 1);
        SendQueues queues = recorded("tcp", SLOW, none);
        assertThat(queues.get(HALF_CLOSED)).isNull();
        assertThat(queues.get(none)).isNull();
    }

    @Test
    void aListeningSocketIsNoConnection() throws IOException {
        TcpConnection listening = new TcpConnection(8080, 0);
        assertThat(recorded("tcp", listening).get(listening)).isNull();
    }

    @Test
    void connectionsThatShareTheirPortsCountTogether() throws IOException {
        assertThat(recorded("tcp6", OVER_IPV6).get(OVER_IPV6)).isEqualTo(0x1F4A0L + 0x10);
    }

    @Test
    void linesOfAnotherShapeAreLeftOut() throws IOException {
        String table = "heading\n\n   0: 0100007F:1F90\n 1: x:1F90 y:D2F4 01 zz:00 00\n 2: x:1F90 y:D2F4 01 0F:00 00\n";
        assertThat(SendQueues.parse(new StringReader(table), keys(SLOW)).get(SLOW))
                .isEqualTo(15);
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void whatAClientHasNotTakenStandsInTheMachinesOwnTable() throws IOException {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket client = new Socket(server.getInetAddress(), server.getLocalPort());
                Socket served = server.accept()) {
            served.setSendBufferSize(1 << 20);
            client.setReceiveBufferSize(4096);
            TcpConnection connection = new TcpConnection(served.getLocalPort(), served.getPort());
            assertThat(SendQueues.of(keys(connection)).get(connection)).isZero();
            OutputStream out = served.getOutputStream();
            out.write(new byte[400_000]);
            assertThat(SendQueues.of(keys(connection)).get(connection)).isPositive();
        }
    }

    private static SendQueues recorded(String table, TcpConnection... wanted) throws IOException {
        Path file = Path.of("src/test/resources/proc-net").resolve(table);
        try (Reader reader = Files.newBufferedReader(file, StandardCharsets.US_ASCII)) {
            return SendQueues.parse(reader, keys(wanted));
        }
    }

    private static Set<Integer> keys(TcpConnection... connections) {
        Set<Integer> keys = new HashSet<>();
        for (TcpConnection connection : connections) {
            keys.add(connection.key());
        }
        return keys;
    }
}
