package org.anteroom.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.apache.catalina.core.StandardContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The embedded containers take the operators' settings, run beside each other, and leave the JVM as it was. */
class EmbeddedServersTest {
    private static final String ENCODED_SLASH = "/files/no%2Fsuch/file";

    @TempDir
    Path folder;

    @Test
    void bothContainersRunBesideEachOther() throws Exception {
        Map<Object, Object> before = Map.copyOf(System.getProperties());
        try (EmbeddedTomcat tomcat = EmbeddedTomcat.start(folder.resolve("tomcat"), Map.of("anteroom.port", "1"));
                EmbeddedJetty jetty = EmbeddedJetty.start(folder.resolve("jetty"), Map.of());
                EmbeddedTomcat second = EmbeddedTomcat.start(folder.resolve("second"), Map.of())) {
            assertThat(tomcat.uri()).isNotEqualTo(second.uri());
            assertThat(RawHttp.get(tomcat.uri(), ENCODED_SLASH).status()).isEqualTo(404);
            assertThat(RawHttp.get(second.uri(), ENCODED_SLASH).status()).isEqualTo(404);
            assertThat(RawHttp.get(jetty.uri(), ENCODED_SLASH).status()).isEqualTo(404);
        }
        assertThat(System.getProperties()).doesNotContainKeys("anteroom.port", "java.naming.factory.initial");
        assertThat(System.getProperty("catalina.base")).isEqualTo(before.get("catalina.base"));
    }

    @Test
    void tomcatTakesTheOperatorsDescriptorAndConnector() throws Exception {
        try (EmbeddedTomcat tomcat = EmbeddedTomcat.start(folder, Map.of())) {
            StandardContext context = tomcat.context();
            assertThat(context.getNamingResources()
                            .findResource("jdbc/anteroom/inventory")
                            .getProperty("url"))
                    .asString()
                    .startsWith("jdbc:sqlite:" + folder.resolve("anteroom/inventory.db") + "?");
            assertThat(context.getNamingResources()
                            .findEnvironment("anteroom/config")
                            .getValue())
                    .isEqualTo(folder.resolve("conf/anteroom.properties").toString());
        }
        assertThat(ConfFiles.connector())
                .containsEntry("socket.appWriteBufSize", "131072")
                .containsEntry("maxConnections", "10000");
    }

    @Test
    void noUserIsShipped() throws Exception {
        assertThat(ConfFiles.users()).isZero();
    }
}
