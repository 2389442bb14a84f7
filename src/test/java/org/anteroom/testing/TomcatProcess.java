package org.anteroom.testing;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A real Tomcat in a process of its own with the WAR deployed at {@code /}: to be killed, stopped, and started again on
 * the same data.
 *
 * <p>It is started by {@code tomcat-conf/run.sh}, as an operator does it, or unconfigured: the distribution's own
 * server.xml and nothing but the WAR in {@code webapps}. Closing ends the process, and so does the end of the test's
 * JVM.
 */
public final class TomcatProcess implements AutoCloseable {
    private static final Duration START = Duration.ofSeconds(90);
    private static final Duration STOP = Duration.ofSeconds(60);

    private final Builder builder;
    private final int port;
    private final int tlsPort;
    private final Thread atExit = new Thread(this::kill9, "kill-tomcat");
    private @Nullable Process process;
    private Console console = new Console();

    private TomcatProcess(Builder builder, int port, int tlsPort) {
        this.builder = builder;
        this.port = port;
        this.tlsPort = tlsPort;
        Runtime.getRuntime().addShutdownHook(atExit);
    }

    /** A Tomcat 11 to be started with a folder of its own as its base. */
    public static Builder tomcat11(Path base) {
        return new Builder(home("anteroom.tomcat11", "target/tomcat11"), base);
    }

    /** A Tomcat 10.1, likewise. */
    public static Builder tomcat10(Path base) {
        return new Builder(home("anteroom.tomcat10", "target/tomcat10"), base);
    }

    /** Any distribution of Tomcat, likewise. */
    public static Builder of(Path home, Path base) {
        return new Builder(home, base);
    }

    /** A Tomcat that is laid out and started in another way, as the package of a Linux distribution does it. */
    public static Builder launchedBy(Path base, Launcher launcher) {
        Builder builder = new Builder(base, base);
        builder.launcher = launcher;
        return builder;
    }

    /** How a Tomcat is started. */
    @FunctionalInterface
    public interface Launcher {
        /**
         * The command that becomes the server's process.
         *
         * @param port where it is to answer
         * @param jvmOptions what {@code CATALINA_OPTS} is to be
         */
        List<String> command(int port, String jvmOptions) throws IOException;
    }

    /** Where it answers, with a slash at the end. */
    public URI uri() {
        return URI.create("http://127.0.0.1:" + port + "/");
    }

    /** Where it answers with TLS and HTTP/2, with a slash at the end. */
    public URI tls() {
        if (tlsPort < 0) {
            throw new IllegalStateException("started without TLS");
        }
        return URI.create("https://127.0.0.1:" + tlsPort + "/");
    }

    /** Its CATALINA_BASE. */
    public Path base() {
        return builder.base;
    }

    /** The password of the user {@code operator}, which the run script made. */
    public String operatorPassword() throws IOException {
        return Files.readString(builder.base.resolve("conf/operator.password"));
    }

    /** The id of the process that runs, or ran last. */
    public long pid() {
        return current().pid();
    }

    /** Whether the process lives. */
    public boolean alive() {
        return current().isAlive();
    }

    /** The lines on the console since the last start: standard output and standard error. */
    public List<String> console() {
        return console.lines();
    }

    /**
     * Waits for a line on the console.
     *
     * @return the line
     * @throws AssertionError if the process ends, or the time is over, without one
     */
    public String awaitConsole(Predicate<String> wanted, Duration atMost) throws InterruptedException {
        return console.await(wanted, atMost);
    }

    /** Kills the process with SIGKILL and waits for its end. */
    public void kill9() {
        Process running = process;
        if (running != null) {
            // through the handle: Process itself would close the console's stream
            running.toHandle().destroyForcibly();
            running.onExit().join();
            console.awaitEnd();
        }
    }

    /**
     * Asks the process to end with SIGTERM and waits for it.
     *
     * @return how long that took
     * @throws AssertionError if it still lives after a minute; it is killed then
     */
    public Duration stop() throws InterruptedException {
        long start = System.nanoTime();
        current().toHandle().destroy();
        if (!current().waitFor(STOP.toMillis(), TimeUnit.MILLISECONDS)) {
            kill9();
            throw new AssertionError("Tomcat does not stop\n" + console);
        }
        Duration taken = Duration.ofNanos(System.nanoTime() - start);
        console.awaitEnd();
        return taken;
    }

    /** Starts again on the same base and port, after a stop or a kill (a living process is stopped), and waits. */
    public void restart() throws IOException, InterruptedException {
        if (alive()) {
            stop();
        }
        launch();
        awaitReady();
    }

    @Override
    public void close() {
        kill9();
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException e) {
            // the JVM is ending: the hook does what it is for
            return;
        }
    }

    private Process current() {
        Process running = process;
        if (running == null) {
            throw new IllegalStateException("Tomcat was not started");
        }
        return running;
    }

    private void launch() throws IOException {
        Process started = builder.command(port).start();
        console = Console.of(started);
        process = started;
    }

    private void awaitReady() throws IOException, InterruptedException {
        long deadline = System.nanoTime() + START.toNanos();
        while (!answers()) {
            // the pause between two looks, which the process's end cuts short
            if (current().waitFor(50, TimeUnit.MILLISECONDS)) {
                throw new AssertionError("Tomcat has ended with " + current().exitValue() + "\n" + console);
            }
            if (System.nanoTime() > deadline) {
                throw new AssertionError(builder.readyPath + " is not 200\n" + console);
            }
        }
    }

    private boolean answers() {
        try {
            HttpURLConnection http =
                    (HttpURLConnection) uri().resolve(builder.readyPath).toURL().openConnection();
            http.setConnectTimeout(1000);
            http.setReadTimeout(5000);
            try {
                return http.getResponseCode() == 200;
            } finally {
                http.disconnect();
            }
        } catch (IOException e) {
            return false;
        }
    }

    private static Path home(String property, String folder) {
        String given = System.getProperty(property);
        if (given != null) {
            return Path.of(given);
        }
        try (Stream<Path> found = Files.list(Path.of(folder))) {
            return found.filter(path -> path.getFileName().toString().startsWith("apache-tomcat-"))
                    .max(Path::compareTo)
                    .orElseThrow();
        } catch (IOException e) {
            throw new IllegalStateException("no Tomcat in " + folder + ": mvn package unpacks it", e);
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** How a Tomcat is to be started. */
    public static final class Builder {
        private final Path home;
        private final Path base;
        private final Map<String, String> properties = new LinkedHashMap<>();
        private final Map<String, String> confFiles = new LinkedHashMap<>();
        private final Map<String, String> environment = new LinkedHashMap<>();
        private final List<String> options = new ArrayList<>();
        private Path war = Path.of(System.getProperty("anteroom.war", "target/anteroom.war"));
        private String readyPath = "health/live";
        private String deployedAs = "ROOT.war";
        private boolean configured = true;
        private boolean tls;
        private List<String> wrapper = List.of();
        private @Nullable Launcher launcher;

        private Builder(Path home, Path base) {
            this.home = home.toAbsolutePath();
            this.base = base.toAbsolutePath();
        }

        /** Leaves everything out but the WAR: the distribution's own configuration, with another port. */
        public Builder unconfigured() {
            configured = false;
            return this;
        }

        /** Sets a system property, such as {@code anteroom.archive.location}. */
        public Builder property(String name, String value) {
            properties.put(name, value);
            return this;
        }

        /** Adds options of the JVM, such as {@code -Xmx256m}. */
        public Builder options(String... jvm) {
            options.addAll(List.of(jvm));
            return this;
        }

        /** Replaces one of the files of {@code tomcat-conf/} by a text. */
        public Builder conf(String file, String text) {
            confFiles.put(file, text);
            return this;
        }

        /** Switches the connector for TLS and HTTP/2 on as server.xml says, with a throw-away certificate. */
        public Builder withTls() throws IOException {
            TestCertificate.in(base);
            tls = true;
            return conf("server.xml", ConfFiles.serverWithTls());
        }

        /** Sets a variable of the environment. */
        public Builder environment(String name, String value) {
            environment.put(name, value);
            return this;
        }

        /** Deploys another WAR than the build's. */
        public Builder war(Path file) {
            war = file;
            return this;
        }

        /** Calls the WAR in {@code webapps} otherwise than {@code ROOT.war}, for an unconfigured Tomcat. */
        public Builder deployedAs(String name) {
            deployedAs = name;
            return this;
        }

        /** Starts it through another command, which becomes the server, such as {@code env} or {@code nice}. */
        public Builder through(String... command) {
            wrapper = List.of(command);
            return this;
        }

        /** Waits for 200 at another path than {@code health/live}; relative to the base URI. */
        public Builder readyPath(String path) {
            readyPath = path;
            return this;
        }

        /** Starts and waits until the application answers. */
        public TomcatProcess start() throws IOException, InterruptedException {
            TomcatProcess tomcat = launch();
            try {
                tomcat.awaitReady();
                return tomcat;
            } catch (IOException | InterruptedException | AssertionError e) {
                tomcat.close();
                throw e;
            }
        }

        /** Starts without waiting, for an application that is expected not to come up. */
        public TomcatProcess launch() throws IOException {
            TomcatProcess tomcat = new TomcatProcess(this, freePort(), tls ? freePort() : -1);
            if (tls) {
                property("anteroom.tls.port", Integer.toString(tomcat.tlsPort));
            }
            try {
                tomcat.launch();
                return tomcat;
            } catch (IOException e) {
                tomcat.close();
                throw e;
            }
        }

        private ProcessBuilder command(int port) throws IOException {
            Files.createDirectories(base);
            Launcher special = launcher;
            List<String> words = new ArrayList<>(wrapper);
            if (special != null) {
                words.addAll(special.command(port, jvmOptions()));
            } else {
                words.addAll(configured ? runScript(port) : catalina(port));
            }
            ProcessBuilder command = new ProcessBuilder(words);
            // what the developer's shell has must not reach the test
            command.environment()
                    .keySet()
                    .removeIf(name -> name.startsWith("CATALINA_")
                            || name.startsWith("ANTEROOM_")
                            || name.equals("JAVA_OPTS")
                            || name.equals("JDK_JAVA_OPTIONS"));
            command.environment().put("LC_ALL", "C.UTF-8");
            command.environment().put("CATALINA_OPTS", jvmOptions());
            if (special != null) {
                command.environment().remove("CATALINA_OPTS");
            } else if (configured) {
                command.environment().put("ANTEROOM_BUILT", "1");
                command.environment().put("ANTEROOM_WAR", war.toAbsolutePath().toString());
                command.environment().put("ANTEROOM_BASE", base.toString());
                command.environment().put("ANTEROOM_TOMCAT", home.toString());
                command.environment().put("ANTEROOM_CONF", conf().toString());
            } else {
                command.environment().put("CATALINA_HOME", home.toString());
                command.environment().put("CATALINA_BASE", base.toString());
            }
            command.environment().putAll(environment);
            return command.redirectErrorStream(true).directory(base.toFile());
        }

        private static List<String> runScript(int port) {
            return List.of(ConfFiles.TOMCAT_CONF.resolve("run.sh").toString(), Integer.toString(port));
        }

        private List<String> catalina(int port) throws IOException {
            for (String folder : List.of("conf", "webapps", "logs", "temp", "work")) {
                Files.createDirectories(base.resolve(folder));
            }
            Path defaults = Files.exists(home.resolve("conf/web.xml")) ? home.resolve("conf") : home.resolve("etc");
            for (String file : List.of("web.xml", "catalina.properties", "tomcat-users.xml", "logging.properties")) {
                copy(defaults.resolve(file), base.resolve("conf").resolve(file));
            }
            String server = Files.readString(defaults.resolve("server.xml"))
                    .replace("port=\"8005\"", "port=\"-1\"")
                    .replace("port=\"8080\"", "port=\"" + port + "\" address=\"127.0.0.1\"");
            Files.writeString(base.resolve("conf/server.xml"), server);
            copy(war, base.resolve("webapps").resolve(deployedAs));
            return List.of(home.resolve("bin/catalina.sh").toString(), "run");
        }

        private Path conf() throws IOException {
            if (confFiles.isEmpty()) {
                return ConfFiles.TOMCAT_CONF;
            }
            Path conf = Files.createDirectories(base.resolve("tomcat-conf"));
            try (Stream<Path> files = Files.list(ConfFiles.TOMCAT_CONF)) {
                for (Path file : files.toList()) {
                    copy(file, conf.resolve(file.getFileName()));
                }
            }
            for (Map.Entry<String, String> file : confFiles.entrySet()) {
                Files.writeString(conf.resolve(file.getKey()), file.getValue());
            }
            return conf;
        }

        /** For a shell that evaluates the variable, as catalina.sh does. */
        private String jvmOptions() {
            return Stream.concat(
                            options.stream(),
                            properties.entrySet().stream().map(entry -> "-D" + entry.getKey() + "=" + entry.getValue()))
                    .map(option -> "'" + option.replace("'", "'\\''") + "'")
                    .collect(Collectors.joining(" "));
        }

        private static void copy(Path from, Path to) throws IOException {
            Files.copy(from, to, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    /** The lines that a process writes, collected by a thread of their own until it ends. */
    private static final class Console {
        private static final Duration LAST_LINES = Duration.ofSeconds(5);

        private final List<String> lines = new ArrayList<>();
        private boolean ended;

        static Console of(Process process) {
            Console console = new Console();
            Thread reader = new Thread(() -> console.collect(process), "console-" + process.pid());
            reader.setDaemon(true);
            reader.start();
            return console;
        }

        private void collect(Process process) {
            try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
                for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                    add(line);
                }
            } catch (IOException e) {
                add("the console broke off: " + e.getMessage());
            } finally {
                end();
            }
        }

        private synchronized void add(String line) {
            lines.add(line);
            notifyAll();
        }

        private synchronized void end() {
            ended = true;
            notifyAll();
        }

        /** Waits for the last lines of a process that has ended. */
        synchronized void awaitEnd() {
            long deadline = System.nanoTime() + LAST_LINES.toNanos();
            try {
                for (long left = LAST_LINES.toMillis(); !ended && left > 0; ) {
                    wait(left);
                    left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        synchronized List<String> lines() {
            return List.copyOf(lines);
        }

        synchronized String await(Predicate<String> wanted, Duration atMost) throws InterruptedException {
            long deadline = System.nanoTime() + atMost.toNanos();
            int seen = 0;
            while (true) {
                for (; seen < lines.size(); seen++) {
                    if (wanted.test(lines.get(seen))) {
                        return lines.get(seen);
                    }
                }
                long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
                if (ended || left <= 0) {
                    throw new AssertionError("no such line on the console\n" + this);
                }
                wait(left);
            }
        }

        @Override
        public synchronized String toString() {
            return String.join("\n", lines);
        }
    }
}
