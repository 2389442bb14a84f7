package org.anteroom.http;

import com.github.benmanes.caffeine.cache.Ticker;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.anteroom.metrics.Metrics;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.Wrapper;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.core.StandardContext;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.descriptor.web.ErrorPage;
import org.apache.tomcat.util.descriptor.web.FilterDef;
import org.apache.tomcat.util.descriptor.web.FilterMap;

/** A Tomcat with the filters of the edge around servlets of a test, and a client that sends bytes as they are. */
final class EdgeServer implements AutoCloseable {
    private final Tomcat tomcat = new Tomcat();
    private final Connector connector = new Connector();

    EdgeServer(Path folder, String contextPath, Map<String, HttpServlet> servlets) throws LifecycleException {
        tomcat.setBaseDir(folder.toString());
        connector.setPort(0);
        connector.setProperty("address", "127.0.0.1");
        connector.setEncodedSolidusHandling("passthrough");
        connector.setEncodedReverseSolidusHandling("passthrough");
        tomcat.setConnector(connector);
        Context context = tomcat.addContext(contextPath, folder.toString());
        StandardContext standard = (StandardContext) context;
        standard.setClearReferencesRmiTargets(false);
        standard.setClearReferencesThreadLocals(false);
        AnswerLog answers = new AnswerLog(Ticker.systemTicker());
        Refusals refusals = new Refusals(
                answers,
                new ShortAnswers(
                        new Transfers(new DeliverySettings(Duration.ofMinutes(2)), new Metrics()),
                        new SharedConnections(Runnable::run, 1)));
        filter(context, "raw-uri", new RawUriFilter(refusals));
        filter(context, "errors", new ErrorFilter(refusals));
        servlets.forEach((pattern, servlet) -> servlet(context, pattern, servlet));
        servlet(context, "/error", new ErrorPageServlet(answers));
        ErrorPage page = new ErrorPage();
        page.setLocation("/error");
        context.addErrorPage(page);
        tomcat.start();
    }

    private static void servlet(Context context, String pattern, HttpServlet servlet) {
        Wrapper wrapper = Tomcat.addServlet(context, pattern, servlet);
        wrapper.setAsyncSupported(true);
        wrapper.addMapping(pattern);
    }

    private static void filter(Context context, String name, Filter filter) {
        FilterDef definition = new FilterDef();
        definition.setFilterName(name);
        definition.setFilter(filter);
        definition.setAsyncSupported("true");
        context.addFilterDef(definition);
        FilterMap map = new FilterMap();
        map.setFilterName(name);
        map.addURLPattern("/*");
        map.setDispatcher(DispatcherType.REQUEST.name());
        context.addFilterMap(map);
    }

    /** What came back, up to the end of the connection. */
    record Answer(int status, String head, String body) {
        String header(String name) {
            return head.lines()
                    .filter(line -> line.regionMatches(true, 0, name + ": ", 0, name.length() + 2))
                    .map(line -> line.substring(name.length() + 2))
                    .findFirst()
                    .orElse("");
        }
    }

    Answer get(String target, String... headers) throws IOException {
        return send("GET", target, headers);
    }

    /** Sends a request whose target is put into the request line as it is. */
    Answer send(String method, String target, String... headers) throws IOException {
        StringBuilder request = new StringBuilder(method + " " + target + " HTTP/1.1\r\nHost: localhost\r\n");
        for (String header : headers) {
            request.append(header).append("\r\n");
        }
        request.append("Connection: close\r\n\r\n");
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), connector.getLocalPort())) {
            socket.setSoTimeout((int) Duration.ofSeconds(20).toMillis());
            socket.getOutputStream().write(request.toString().getBytes(StandardCharsets.UTF_8));
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            InputStream in = socket.getInputStream();
            in.transferTo(bytes);
            String text = bytes.toString(StandardCharsets.UTF_8);
            int end = text.indexOf("\r\n\r\n");
            return new Answer(Integer.parseInt(text.substring(9, 12)), text.substring(0, end), text.substring(end + 4));
        }
    }

    @Override
    public void close() throws LifecycleException {
        tomcat.stop();
        tomcat.destroy();
    }

    /** A servlet made of one function. */
    interface Body {
        void answer(HttpServletRequest request, HttpServletResponse response) throws IOException;
    }

    static HttpServlet servlet(Body body) {
        return new HttpServlet() {
            @Override
            protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
                body.answer(request, response);
            }
        };
    }
}
