package org.anteroom.app;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.Servlet;
import jakarta.servlet.ServletContext;
import java.util.EnumSet;
import java.util.List;
import org.anteroom.admin.ApiServlet;
import org.anteroom.admin.HealthServlet;
import org.anteroom.admin.MetricsServlet;
import org.anteroom.http.AccessFilter;
import org.anteroom.http.AccessSettings;
import org.anteroom.http.CorsFilter;
import org.anteroom.http.ErrorFilter;
import org.anteroom.http.ErrorPageServlet;
import org.anteroom.http.FileServlet;
import org.anteroom.http.RawUriFilter;
import org.anteroom.http.ShortAnswerFilter;

/** The route table: every filter in its order, and every servlet. The container's own part is in web.xml. */
final class Routes {
    private final ServletContext context;

    private Routes(ServletContext context) {
        this.context = context;
    }

    static void register(ServletContext context, Instance instance) {
        Routes routes = new Routes(context);
        AccessSettings access = instance.settings().access();

        routes.filter("cors", new CorsFilter(instance.settings().cors()), "/files/*");
        routes.filter("raw-uri", new RawUriFilter(instance.files().refusals()), "/*");
        routes.filter("errors", new ErrorFilter(instance.files().refusals()), "/*");
        routes.filter("access-files", new AccessFilter(access.files()), "/files/*");
        routes.filter("access-health", new AccessFilter(access.health()), "/health/*");
        routes.filter("access-metrics", new AccessFilter(access.metrics()), "/metrics");

        for (String pages : List.of("/health/*", "/metrics", "/api/*")) {
            routes.filter(
                    "short-answers " + pages,
                    new ShortAnswerFilter(instance.files().shortAnswers()),
                    pages);
        }

        routes.serve("files", new FileServlet(instance.files(), instance.listings()), "/files/*");
        routes.serve("health", new HealthServlet(instance.health()), "/health/*");
        routes.serve("metrics", new MetricsServlet(instance.metrics()), "/metrics");
        routes.serve("error-page", new ErrorPageServlet(instance.answers()), "/error");
        routes.serve("api", api(instance), "/api/*");
    }

    private static ApiServlet api(Instance instance) {
        Inventory inventory = instance.inventory();
        return new ApiServlet(
                inventory.volumes(),
                inventory.copies(),
                inventory.fills(),
                inventory.queue(),
                instance.prefetch(),
                instance.heads(),
                instance.caching(),
                instance.locations(),
                instance.archive(),
                instance.pools());
    }

    private void filter(String name, Filter filter, String pattern) {
        var registration = context.addFilter(name, filter);
        registration.setAsyncSupported(true);
        registration.addMappingForUrlPatterns(EnumSet.of(DispatcherType.REQUEST), true, pattern);
    }

    private void serve(String name, Servlet servlet, String... patterns) {
        var registration = context.addServlet(name, servlet);
        registration.setAsyncSupported(true);
        registration.setLoadOnStartup(1);
        registration.addMapping(patterns);
    }
}
