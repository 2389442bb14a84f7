package org.anteroom.app;

import jakarta.servlet.ServletContextEvent;
import jakarta.servlet.ServletContextListener;
import org.anteroom.config.Configuration;
import org.anteroom.config.ConfigurationException;
import org.anteroom.config.Settings;
import org.anteroom.config.Surroundings;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Starts the instance with the web application and stops it with it. */
public final class AnteroomListener implements ServletContextListener {
    private static final Logger log = LoggerFactory.getLogger(AnteroomListener.class);

    private @Nullable Instance instance;

    @Override
    public void contextInitialized(ServletContextEvent event) {
        Surroundings surroundings = Surroundings.ofContainer();
        try {
            Settings settings = Configuration.load(surroundings);
            Decorations decorations = Decorations.of(event.getServletContext());
            Instance started = Instance.start(settings, surroundings, decorations);
            instance = started;
            Routes.register(event.getServletContext(), started);
        } catch (ConfigurationException | StartException e) {
            log.error("Anteroom does not start: {}", e.getMessage());
            // the container reports the failed start by itself; the reason is above
            throw new StartRefused();
        }
    }

    @Override
    public void contextDestroyed(ServletContextEvent event) {
        Instance running = instance;
        instance = null;
        if (running != null) {
            running.stop();
        }
    }

    /** Tells the container that there is nothing to run; without a stack trace, since the reason is logged. */
    private static final class StartRefused extends RuntimeException {
        private static final long serialVersionUID = 1L;

        StartRefused() {
            super("Anteroom does not start; the reason is in the line before", null, false, false);
        }
    }
}
