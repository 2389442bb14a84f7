package org.anteroom.testing;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import org.apache.tomcat.jdbc.pool.DataSource;
import org.apache.tomcat.jdbc.pool.DataSourceFactory;
import org.eclipse.jetty.ee10.plus.webapp.EnvConfiguration;
import org.eclipse.jetty.ee10.plus.webapp.PlusConfiguration;
import org.eclipse.jetty.ee10.webapp.WebAppContext;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.plus.jndi.EnvEntry;
import org.eclipse.jetty.security.HashLoginService;
import org.eclipse.jetty.security.UserStore;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.security.Credential;
import org.jspecify.annotations.Nullable;

/**
 * The web application on Jetty 12.1 (EE 10) inside the test's JVM: {@code webapp/} and {@code target/classes}, with the
 * inventory's DataSource and the name of the properties file in JNDI, on a free port.
 *
 * <p>Settings and users as with {@link EmbeddedTomcat}.
 */
public final class EmbeddedJetty implements AutoCloseable {
    private final Server server;
    private final ServerConnector connector;
    private final DataSource inventory;
    private final Path base;

    private EmbeddedJetty(Server server, ServerConnector connector, DataSource inventory, Path base) {
        this.server = server;
        this.connector = connector;
        this.inventory = inventory;
        this.base = base;
    }

    /** Starts with the shipped properties file, under which some keys are set. */
    public static EmbeddedJetty start(Path base, Map<String, String> settings) throws IOException {
        return start(base, ConfFiles.shippedProperties(), settings, Map.of());
    }

    /** The same, with attributes that the application finds in its servlet context. */
    public static EmbeddedJetty start(Path base, Map<String, String> settings, Map<String, Object> attributes)
            throws IOException {
        return start(base, ConfFiles.shippedProperties(), settings, attributes);
    }

    /**
     * Starts the application at the context path {@code /}.
     *
     * @param base stands for {@code ${catalina.base}} in the properties; what was left there is used again
     * @param properties the text of the properties file
     * @param settings system properties for the start
     * @throws IllegalStateException if the application does not start
     */
    public static EmbeddedJetty start(Path base, String properties, Map<String, String> settings) throws IOException {
        return start(base, properties, settings, Map.of());
    }

    private static EmbeddedJetty start(
            Path base, String properties, Map<String, String> settings, Map<String, Object> attributes)
            throws IOException {
        ConfFiles.layOut(base, properties.replace("${catalina.base}", base.toString()));
        Server server = new Server();
        ServerConnector connector = new ServerConnector(server, new HttpConnectionFactory(http()));
        connector.setHost("127.0.0.1");
        connector.setPort(0);
        server.addConnector(connector);
        server.addBean(users());
        WebAppContext context = context();
        attributes.forEach(context::setAttribute);
        server.setHandler(context);
        DataSource inventory = inventory(base);
        EmbeddedJetty jetty = new EmbeddedJetty(server, connector, inventory, base);
        try (ScopedProperties scope = new ScopedProperties(settings)) {
            // the log is the test's: an application that stops must not end it
            scope.set("logbackDisableServletContainerInitializer", "true");
            scope.set("jetty.base", base.toString());
            // not a Resource: Jetty would want a resource-ref in web.xml for that
            new EnvEntry(context, "jdbc/anteroom/inventory", inventory, true);
            new EnvEntry(
                    context,
                    "anteroom/config",
                    base.resolve("conf/anteroom.properties").toString(),
                    true);
            server.start();
            @Nullable Throwable failure = context.getUnavailableException();
            if (failure != null) {
                throw failure instanceof Exception e ? e : new IllegalStateException(failure);
            }
            return jetty;
        } catch (Exception e) {
            jetty.close();
            throw new IllegalStateException("the application does not start on Jetty", e);
        }
    }

    /** Where it answers, with a slash at the end. */
    public URI uri() {
        return URI.create("http://127.0.0.1:" + connector.getLocalPort() + "/");
    }

    /** The server's base, with {@code conf} and {@code anteroom}. */
    public Path base() {
        return base;
    }

    /** Has connections to come buffer that many bytes in the system, so that a slow reader is felt soon. */
    public void sendBuffer(int bytes) {
        connector.setAcceptedSendBufferSize(bytes);
    }

    @Override
    public void close() {
        try {
            server.stop();
        } catch (Exception e) {
            throw new IllegalStateException("Jetty does not stop", e);
        } finally {
            inventory.close(true);
            server.destroy();
        }
    }

    private static HttpConfiguration http() {
        HttpConfiguration http = new HttpConfiguration();
        http.setSendServerVersion(false);
        // %2F and %5C reach the application, as with the operator's Tomcat; the application judges the raw URI itself
        http.setUriCompliance(UriCompliance.UNSAFE);
        return http;
    }

    private static WebAppContext context() {
        WebAppContext context = new WebAppContext();
        context.setContextPath("/");
        context.setBaseResourceAsPath(ConfFiles.WEBAPP);
        context.setExtraClasspath(ConfFiles.CLASSES.toString());
        context.setParentLoaderPriority(true);
        context.addConfiguration(new EnvConfiguration(), new PlusConfiguration());
        context.getServletHandler().setDecodeAmbiguousURIs(true);
        context.setThrowUnavailableOnStartupException(true);
        return context;
    }

    private static HashLoginService users() {
        UserStore store = new UserStore();
        store.addUser(
                ConfFiles.VIEWER, Credential.getCredential(ConfFiles.VIEWER), new String[] {ConfFiles.VIEWER_ROLE});
        store.addUser(ConfFiles.OPERATOR, Credential.getCredential(ConfFiles.OPERATOR), new String[] {
            ConfFiles.VIEWER_ROLE, ConfFiles.OPERATOR_ROLE
        });
        HashLoginService service = new HashLoginService("Anteroom");
        service.setUserStore(store);
        return service;
    }

    private static DataSource inventory(Path base) throws IOException {
        Properties properties = new Properties();
        properties.putAll(ConfFiles.inventoryResource(base));
        return new DataSource(DataSourceFactory.parsePoolProperties(properties));
    }
}
