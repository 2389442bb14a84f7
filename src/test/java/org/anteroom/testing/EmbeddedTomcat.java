package org.anteroom.testing;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.LifecycleState;
import org.apache.catalina.Wrapper;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.core.StandardContext;
import org.apache.catalina.core.StandardHost;
import org.apache.catalina.loader.WebappLoader;
import org.apache.catalina.realm.MemoryRealm;
import org.apache.catalina.servlets.DefaultServlet;
import org.apache.catalina.startup.Constants;
import org.apache.catalina.startup.ContextConfig;
import org.apache.catalina.startup.Tomcat;
import org.apache.catalina.valves.ErrorReportValve;
import org.apache.catalina.webresources.DirResourceSet;
import org.apache.catalina.webresources.StandardRoot;
import org.apache.coyote.UpgradeProtocol;
import org.apache.coyote.http2.Http2Protocol;
import org.apache.naming.factory.ResourceLinkFactory;
import org.apache.tomcat.util.IntrospectionUtils;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;
import org.apache.tomcat.util.scan.StandardJarScanner;
import org.apache.tomcat.util.threads.ThreadPoolExecutor;
import org.jspecify.annotations.Nullable;

/**
 * The web application on a Tomcat inside the test's JVM: {@code webapp/} and {@code target/classes}, with the operator's
 * own context descriptor and the connector of the operator's server.xml, on a free port.
 *
 * <p>System properties (settings as {@code anteroom.KEY}, {@code catalina.base}) are set while the application starts,
 * which is when it reads them, and put back after; so several can run at once. The application's classes are the
 * test's.
 */
public final class EmbeddedTomcat implements AutoCloseable {
    private final Tomcat tomcat;
    private final StandardContext context;
    private final Path base;
    private final @Nullable Connector tls;

    private EmbeddedTomcat(Tomcat tomcat, StandardContext context, Path base, @Nullable Connector tls) {
        this.tomcat = tomcat;
        this.context = context;
        this.base = base;
        this.tls = tls;
    }

    /** Starts with the shipped properties file, under which some keys are set. */
    public static EmbeddedTomcat start(Path base, Map<String, String> settings) throws IOException {
        return start(base, "anteroom.xml", ConfFiles.shippedProperties(), settings, Map.of(), false);
    }

    /** The same, with attributes that the application finds in its servlet context. */
    public static EmbeddedTomcat start(Path base, Map<String, String> settings, Map<String, Object> attributes)
            throws IOException {
        return start(base, "anteroom.xml", ConfFiles.shippedProperties(), settings, attributes, false);
    }

    /** The same, with the connector for TLS and HTTP/2 of the operator's server.xml and a throw-away certificate. */
    public static EmbeddedTomcat startWithTls(Path base, Map<String, String> settings, Map<String, Object> attributes)
            throws IOException {
        return start(base, "anteroom.xml", ConfFiles.shippedProperties(), settings, attributes, true);
    }

    /** The same with the descriptor for PostgreSQL; the settings say where that is, as {@code anteroom.db.port}. */
    public static EmbeddedTomcat startOnPostgres(
            Path base, Map<String, String> settings, Map<String, Object> attributes) throws IOException {
        return start(base, "anteroom-postgresql.xml", ConfFiles.shippedProperties(), settings, attributes, false);
    }

    /**
     * Starts the application at the context path {@code /}.
     *
     * @param base the server's base; what was left there by an earlier start is used again
     * @param properties the text of {@code conf/anteroom.properties}
     * @param settings system properties for the start
     * @throws IllegalStateException if the application does not start
     */
    public static EmbeddedTomcat start(Path base, String properties, Map<String, String> settings) throws IOException {
        return start(base, "anteroom.xml", properties, settings, Map.of(), false);
    }

    private static EmbeddedTomcat start(
            Path base,
            String descriptor,
            String properties,
            Map<String, String> settings,
            Map<String, Object> attributes,
            boolean withTls)
            throws IOException {
        ConfFiles.layOut(base, properties);
        try (ScopedProperties scope = new ScopedProperties(settings)) {
            // the log is the test's: an application that stops must not end it
            scope.set("logbackDisableServletContainerInitializer", "true");
            scope.set("catalina.base", base.toString());
            scope.set("catalina.home", base.toString());
            // enableNaming() sets these for the whole JVM, where they would get in the way of Jetty's naming
            scope.keep("java.naming.factory.initial");
            scope.keep("java.naming.factory.url.pkgs");
            scope.keep("catalina.useNaming");

            Tomcat tomcat = new Tomcat();
            tomcat.setBaseDir(base.toString());
            // naming contexts are kept for the whole JVM by the names of engine, host and context
            tomcat.getEngine().setName("anteroom-" + UUID.randomUUID());
            tomcat.setConnector(connector(ConfFiles.connector()));
            Connector tls = withTls ? tlsConnector(base) : null;
            if (tls != null) {
                tomcat.getService().addConnector(tls);
            }
            tomcat.enableNaming();
            MemoryRealm realm = new MemoryRealm();
            realm.setPathname(base.resolve("conf/tomcat-users.xml").toString());
            tomcat.getEngine().setRealm(realm);
            StandardContext context = newContext(descriptor);
            context.addServletContainerInitializer(
                    (classes, servletContext) -> attributes.forEach(servletContext::setAttribute), null);
            StandardHost host = (StandardHost) tomcat.getHost();
            host.addChild(context);
            ErrorReportValve errors = new ErrorReportValve();
            errors.setShowReport(false);
            errors.setShowServerInfo(false);
            host.getPipeline().addValve(errors);

            EmbeddedTomcat server = new EmbeddedTomcat(tomcat, context, base, tls);
            try {
                tomcat.start();
            } catch (LifecycleException e) {
                server.close();
                throw new IllegalStateException("Tomcat does not start", e);
            }
            if (context.getState() != LifecycleState.STARTED) {
                server.close();
                throw new IllegalStateException("the application does not start; its log says why");
            }
            return server;
        }
    }

    /** Where it answers, with a slash at the end. */
    public URI uri() {
        return URI.create("http://127.0.0.1:" + tomcat.getConnector().getLocalPort() + "/");
    }

    /** Where it answers with TLS, with a slash at the end. */
    public URI tls() {
        return URI.create("https://127.0.0.1:"
                + Objects.requireNonNull(tls, "started without TLS").getLocalPort() + "/");
    }

    /** The server's base, with {@code conf} and {@code anteroom}. */
    public Path base() {
        return base;
    }

    /** Has connections to come buffer that many bytes in the system, so that a slow reader is felt soon. */
    public void sendBuffer(int bytes) {
        if (!tomcat.getConnector().setProperty("socket.txBufSize", Integer.toString(bytes))) {
            throw new IllegalStateException("the connector knows no send buffer");
        }
    }

    /** How long a thread may wait for a client of HTTP/2 to open a window. */
    public void streamWriteTimeout(Duration time) {
        for (UpgradeProtocol protocol :
                Objects.requireNonNull(tls, "started without TLS").findUpgradeProtocols()) {
            ((Http2Protocol) protocol).setStreamWriteTimeout(time.toMillis());
        }
    }

    /** Threads of the connector with TLS that are at work. */
    public int tlsThreadsBusy() {
        Connector connector = Objects.requireNonNull(tls, "started without TLS");
        return ((ThreadPoolExecutor) connector.getProtocolHandler().getExecutor()).getActiveCount();
    }

    /** The running application, for what a test must know of the container (attributes, pools, threads). */
    public StandardContext context() {
        return context;
    }

    @Override
    public void close() {
        try (ScopedProperties scope = new ScopedProperties(Map.of())) {
            scope.keep("java.naming.factory.initial");
            scope.keep("java.naming.factory.url.pkgs");
            // one for the whole JVM: the Tomcat that was started last has put its own there
            ResourceLinkFactory.setGlobalContext(tomcat.getServer().getGlobalNamingContext());
            tomcat.stop();
            tomcat.destroy();
        } catch (LifecycleException e) {
            throw new IllegalStateException("Tomcat does not stop", e);
        }
    }

    private static Connector connector(Map<String, String> attributes) {
        Connector connector = new Connector();
        attributes.put("address", "127.0.0.1");
        attributes.put("port", "0");
        set(connector, attributes);
        return connector;
    }

    private static Connector tlsConnector(Path base) throws IOException {
        ConfFiles.TlsConnector shipped = ConfFiles.tlsConnector();
        Connector connector = connector(shipped.connector());
        Http2Protocol http2 = new Http2Protocol();
        shipped.http2().remove("className");
        set(http2, shipped.http2());
        connector.addUpgradeProtocol(http2);
        SSLHostConfig host = new SSLHostConfig();
        set(host, shipped.host());
        SSLHostConfigCertificate certificate =
                new SSLHostConfigCertificate(host, SSLHostConfigCertificate.Type.UNDEFINED);
        shipped.certificate()
                .put(
                        "certificateKeystoreFile",
                        TestCertificate.in(base).keystore().toString());
        set(certificate, shipped.certificate());
        host.addCertificate(certificate);
        connector.addSslHostConfig(host);
        return connector;
    }

    /** As Tomcat itself does it: by setters, for a connector also by properties of its endpoint. */
    private static void set(Object part, Map<String, String> attributes) {
        attributes.forEach((name, value) -> {
            if (!IntrospectionUtils.setProperty(part, name, value)) {
                throw new IllegalStateException(part + " knows no " + name);
            }
        });
    }

    private static StandardContext newContext(String descriptor) throws IOException {
        StandardContext context = new StandardContext();
        context.setPath("");
        context.setName("");
        context.setDocBase(ConfFiles.WEBAPP.toString());
        context.setConfigFile(ConfFiles.TOMCAT_CONF.resolve(descriptor).toUri().toURL());
        context.setParentClassLoader(EmbeddedTomcat.class.getClassLoader());
        ContextConfig config = new ContextConfig();
        config.setDefaultWebXml(Constants.NoDefaultWebXml);
        context.addLifecycleListener(config);

        // what a distribution's own web.xml would bring; no JSP
        Wrapper files = Tomcat.addServlet(context, "default", new DefaultServlet());
        files.setLoadOnStartup(1);
        files.setAsyncSupported(true);
        context.addServletMapping("/", "default");
        context.addWelcomeFile("index.html");
        Tomcat.addDefaultMimeTypeMappings(context);

        // these look into the JDK, which would have to be opened for them
        context.setClearReferencesRmiTargets(false);
        context.setClearReferencesThreadLocals(false);

        // the test and the application share their classes
        WebappLoader loader = new WebappLoader();
        loader.setDelegate(true);
        context.setLoader(loader);
        StandardJarScanner scanner = new StandardJarScanner();
        scanner.setScanClassPath(false);
        context.setJarScanner(scanner);
        StandardRoot resources = new StandardRoot(context);
        resources.addPreResources(new DirResourceSet(resources, "/WEB-INF/classes", ConfFiles.CLASSES.toString(), "/"));
        context.setResources(resources);
        return context;
    }
}
