package org.anteroom.config;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.Wrapper;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;
import org.apache.catalina.webresources.TomcatURLStreamHandlerFactory;
import org.apache.tomcat.util.descriptor.web.ContextEnvironment;
import org.apache.tomcat.util.descriptor.web.ContextResource;

/**
 * An embedded Tomcat with one web application and the resource of the inventory; loaded by a class loader that has
 * Tomcat and this class only.
 *
 * <p>From the lines (base folder, folder of the application, class of the driver, URL of the
 * database, connections to make at once) to what {@link
 * LookupServlet} says.
 */
public final class IsolatedTomcat implements UnaryOperator<String> {

    @Override
    public String apply(String lines) {
        List<String> words = lines.lines().toList();
        // Tomcat tells of each broken resource with several stack traces, which are not what is tested
        Logger logger = Logger.getLogger("org.apache");
        Level level = logger.getLevel();
        logger.setLevel(Level.OFF);
        // Java takes one factory in its life, and other tests need it
        TomcatURLStreamHandlerFactory.disable();
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(words.get(0));
        tomcat.setSilent(true);
        Connector connector = new Connector();
        connector.setPort(0);
        connector.setProperty("address", "127.0.0.1");
        tomcat.setConnector(connector);
        tomcat.enableNaming();
        Context context = tomcat.addContext("", words.get(1));
        // the test's own loader is above Tomcat's, not beside it: the application sees Tomcat, and its own jars
        context.setParentClassLoader(IsolatedTomcat.class.getClassLoader());
        context.getNamingResources().addResource(resource(words.get(2), words.get(3), words.get(4)));
        context.getNamingResources().addEnvironment(environment());
        Wrapper servlet = context.createWrapper();
        servlet.setName("lookup");
        servlet.setServletClass("org.anteroom.config.LookupServlet");
        context.addChild(servlet);
        servlet.addMapping("/");
        try {
            tomcat.start();
            HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + connector.getLocalPort()))
                    .build();
            return HttpClient.newHttpClient()
                    .send(request, HttpResponse.BodyHandlers.ofString())
                    .body()
                    .strip();
        } catch (LifecycleException | IOException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        } finally {
            stop(tomcat);
            logger.setLevel(level);
        }
    }

    private static ContextResource resource(String driver, String url, String initialSize) {
        ContextResource resource = new ContextResource();
        resource.setName("jdbc/anteroom/inventory");
        resource.setAuth("Container");
        resource.setType("javax.sql.DataSource");
        resource.setCloseMethod("close");
        resource.setProperty("factory", "org.apache.tomcat.jdbc.pool.DataSourceFactory");
        resource.setProperty("driverClassName", driver);
        resource.setProperty("url", url);
        resource.setProperty("initialSize", initialSize);
        return resource;
    }

    private static ContextEnvironment environment() {
        ContextEnvironment environment = new ContextEnvironment();
        environment.setName("anteroom/config");
        environment.setType("java.lang.String");
        environment.setValue("/etc/x");
        return environment;
    }

    private static void stop(Tomcat tomcat) {
        try {
            tomcat.stop();
            tomcat.destroy();
        } catch (LifecycleException e) {
            throw new IllegalStateException(e);
        }
    }
}
