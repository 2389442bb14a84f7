package org.anteroom.config;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What the configuration is read from besides its file: the container's names, and the system properties. */
public final class Surroundings {

    private final Naming naming;
    private final Map<String, String> properties;

    /**
     * Surroundings that are told.
     *
     * @param properties the system properties
     */
    public Surroundings(Naming naming, Map<String, String> properties) {
        this.naming = naming;
        this.properties = Map.copyOf(properties);
    }

    /** Those of the container that this runs in, at this moment. */
    public static Surroundings ofContainer() {
        Properties system = System.getProperties();
        Map<String, String> properties = new TreeMap<>();
        for (String name : system.stringPropertyNames()) {
            String value = system.getProperty(name);
            if (value != null) {
                properties.put(name, value);
            }
        }
        return new Surroundings(new ContainerNaming(), properties);
    }

    Naming naming() {
        return naming;
    }

    Map<String, String> properties() {
        return properties;
    }

    /** The container's base folder; outside Tomcat and Jetty the working directory. */
    Path base() {
        for (String name : new String[] {"catalina.base", "jetty.base", "user.dir"}) {
            String folder = properties.getOrDefault(name, "");
            if (!folder.isEmpty()) {
                return Path.of(folder).toAbsolutePath().normalize();
            }
        }
        return Path.of("").toAbsolutePath();
    }

    /** The folder of what needs no configuration. */
    Path home() {
        return base().resolve("anteroom");
    }

    /** The replacement of {@code ${catalina.base}}, wherever this runs, of {@code ${host.name}}, and of system properties. */
    Expansion expansion() {
        return new Expansion(this::value);
    }

    private @Nullable String value(String name) {
        if (name.equals("catalina.base")) {
            return base().toString();
        }
        String value = properties.get(name);
        return value == null && name.equals("host.name") ? hostName() : value;
    }

    private static String hostName() {
        try {
            // only what a name of an instance may consist of; machines' names consist of little else
            return InetAddress.getLocalHost().getHostName().replaceAll("[^A-Za-z0-9._-]", "-");
        } catch (UnknownHostException e) {
            return "localhost";
        }
    }
}
