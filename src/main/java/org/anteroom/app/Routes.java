package org.anteroom.app;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.Servlet;
import jakarta.servlet.ServletContext;
import java.util.EnumSet;
import org.anteroom.http.ErrorFilter;
import org.anteroom.http.FileServlet;
import org.anteroom.http.RawUriFilter;

/** The route table: every filter in its order, and every servlet. The container's own part is in web.xml. */
final class Routes {
    private final ServletContext context;

    private Routes(ServletContext context) {
        this.context = context;
    }

    static void register(ServletContext context, Instance instance) {
        Routes routes = new Routes(context);
        routes.filter("raw-uri", new RawUriFilter());
        routes.filter("errors", new ErrorFilter());
        routes.serve("files", new FileServlet(instance.files()), "/files/*");
    }

    private void filter(String name, Filter filter) {
        var registration = context.addFilter(name, filter);
        registration.setAsyncSupported(true);
        registration.addMappingForUrlPatterns(EnumSet.of(DispatcherType.REQUEST), true, "/*");
    }

    private void serve(String name, Servlet servlet, String... patterns) {
        var registration = context.addServlet(name, servlet);
        registration.setAsyncSupported(true);
        registration.setLoadOnStartup(1);
        registration.addMapping(patterns);
    }
}
