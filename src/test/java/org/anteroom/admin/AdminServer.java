package org.anteroom.admin;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.github.benmanes.caffeine.cache.Ticker;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.ServletContext;
import jakarta.servlet.http.HttpServlet;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.anteroom.http.AccessFilter;
import org.anteroom.http.AccessSettings;
import org.anteroom.http.AnswerLog;
import org.anteroom.http.DeliverySettings;
import org.anteroom.http.ErrorFilter;
import org.anteroom.http.ErrorPageServlet;
import org.anteroom.http.RawUriFilter;
import org.anteroom.http.Refusals;
import org.anteroom.http.SharedConnections;
import org.anteroom.http.ShortAnswers;
import org.anteroom.http.Transfers;
import org.anteroom.metrics.Metrics;
import org.anteroom.testing.RawHttp;
import org.apache.catalina.Lifecycle;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.core.StandardContext;
import org.apache.catalina.startup.Constants;
import org.apache.catalina.startup.ContextConfig;
import org.apache.catalina.startup.Tomcat;
import org.jspecify.annotations.Nullable;

/**
 * A Tomcat with the application's own {@code web.xml}, the filters of the edge, and servlets of a test instead of the
 * application. Its users are viewer, operator (both roles), changer (the operator's role alone) and stranger (none); a
 * user's name is the password.
 */
final class AdminServer implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Tomcat tomcat = new Tomcat();
    private final URI uri;

    AdminServer(Path base, AccessSettings access, Map<String, ? extends HttpServlet> servlets)
            throws LifecycleException {
        tomcat.setBaseDir(base.toString());
        Connector connector = new Connector();
        connector.setPort(0);
        connector.setProperty("address", "127.0.0.1");
        connector.setEncodedSolidusHandling("passthrough");
        tomcat.setConnector(connector);
        Map.of(
                        "viewer", List.of("anteroom-viewer"),
                        "operator", List.of("anteroom-viewer", "anteroom-operator"),
                        "changer", List.of("anteroom-operator"),
                        "stranger", List.<String>of())
                .forEach((user, roles) -> {
                    tomcat.addUser(user, user);
                    roles.forEach(role -> tomcat.addRole(user, role));
                });
        tomcat.getHost().addChild(context(access, servlets));
        tomcat.start();
        uri = URI.create("http://127.0.0.1:" + connector.getLocalPort() + "/");
    }

    private static StandardContext context(AccessSettings access, Map<String, ? extends HttpServlet> servlets) {
        StandardContext context = new StandardContext();
        context.setPath("");
        context.setName("");
        context.setDocBase(Path.of("webapp").toAbsolutePath().toString());
        context.setParentClassLoader(AdminServer.class.getClassLoader());
        context.setClearReferencesRmiTargets(false);
        context.setClearReferencesThreadLocals(false);
        ContextConfig config = new ContextConfig();
        config.setDefaultWebXml(Constants.NoDefaultWebXml);
        context.addLifecycleListener(config);
        // what web.xml would start is the application; here only its rules are wanted
        context.addLifecycleListener(event -> {
            if (event.getType().equals(Lifecycle.CONFIGURE_START_EVENT)) {
                for (String listener : context.findApplicationListeners()) {
                    context.removeApplicationListener(listener);
                }
            }
        });
        context.addServletContainerInitializer(
                (classes, servletContext) -> {
                    AnswerLog answers = new AnswerLog(Ticker.systemTicker());
                    Refusals refusals = new Refusals(
                            answers,
                            new ShortAnswers(
                                    new Transfers(new DeliverySettings(Duration.ofMinutes(2)), new Metrics()),
                                    new SharedConnections(Runnable::run, 1)));
                    filter(servletContext, "raw-uri", new RawUriFilter(refusals), "/*");
                    filter(servletContext, "errors", new ErrorFilter(refusals), "/*");
                    servletContext
                            .addServlet("error-page", new ErrorPageServlet(answers))
                            .addMapping("/error");
                    filter(servletContext, "access-files", new AccessFilter(access.files()), "/files/*");
                    filter(servletContext, "access-health", new AccessFilter(access.health()), "/health/*");
                    filter(servletContext, "access-metrics", new AccessFilter(access.metrics()), "/metrics");
                    servlets.forEach((pattern, servlet) ->
                            servletContext.addServlet(pattern, servlet).addMapping(pattern));
                },
                Set.of());
        return context;
    }

    private static void filter(ServletContext context, String name, Filter filter, String pattern) {
        context.addFilter(name, filter).addMappingForUrlPatterns(EnumSet.of(DispatcherType.REQUEST), true, pattern);
    }

    /** A request as somebody, or as nobody for null. */
    RawHttp.Response send(@Nullable String user, String method, String target, String... headers) throws IOException {
        List<String> all = new ArrayList<>(List.of(headers));
        if (user != null) {
            String login = user + ':' + user;
            all.add("Authorization: Basic "
                    + Base64.getEncoder().encodeToString(login.getBytes(StandardCharsets.UTF_8)));
        }
        return RawHttp.exchange(uri, method, target, all.toArray(String[]::new));
    }

    /** A viewer's GET. */
    RawHttp.Response get(String target) throws IOException {
        return send("viewer", "GET", target);
    }

    /** A viewer's GET that must be 200, as JSON. */
    JsonNode json(String target) throws IOException {
        RawHttp.Response response = get(target);
        if (response.status() != 200) {
            throw new AssertionError(response.statusLine() + "\n" + response.text());
        }
        return json(response);
    }

    /** An operator's DELETE with the header that changes need. */
    RawHttp.Response delete(String target) throws IOException {
        return send("operator", "DELETE", target, "X-Anteroom-Request: 1");
    }

    static JsonNode json(RawHttp.Response response) throws IOException {
        return JSON.readTree(response.body());
    }

    @Override
    public void close() throws LifecycleException {
        tomcat.stop();
        tomcat.destroy();
    }
}
