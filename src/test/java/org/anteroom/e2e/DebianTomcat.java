package org.anteroom.e2e;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.anteroom.testing.TomcatProcess;
import org.anteroom.testing.Tools;

/**
 * Debian's tomcat10 as its service runs it, on a copy of its folders: by the package's start script, as the user tomcat,
 * who may write only where the unit lets the service write.
 *
 * <p>The unit's sandbox is the ownership of the folders here. Needs root, who owns the rest.
 */
final class DebianTomcat implements TomcatProcess.Launcher {
    private static final String HOME = "/usr/share/tomcat10";
    private static final String START = "/usr/libexec/tomcat10/tomcat-start.sh";

    private final Path top;
    private final Path base;

    private DebianTomcat(Path top) {
        this.top = top;
        this.base = top.resolve("var/lib/tomcat10");
    }

    /** Goes on only where the package is installed and its folders can be given to its user. */
    static void require() {
        Tools.require("tomcat10", Path.of(START));
        Tools.requireThat(
                System.getProperty("user.name").equals("root"), "only root can start what runs as user tomcat");
    }

    /**
     * The package's folders, copied, with Anteroom put in as an operator does it.
     *
     * @param top a folder that becomes the copy's root
     */
    static DebianTomcat layOut(Path top) throws IOException, InterruptedException {
        DebianTomcat tomcat = new DebianTomcat(top);
        for (String folder : List.of("etc/tomcat10", "var/lib/tomcat10", "var/log/tomcat10", "var/cache/tomcat10")) {
            Files.createDirectories(top.resolve(folder).resolve("..").normalize());
            run("cp", "-a", "/" + folder, top.resolve(folder).toString());
        }
        // the user must be able to go there
        run("chmod", "755", top.toString());
        Path conf = tomcat.base.resolve("conf");
        Files.delete(conf);
        Files.createSymbolicLink(conf, top.resolve("etc/tomcat10"));
        tomcat.install();
        return tomcat;
    }

    /** The steps of {@code docs/deploy.md}. */
    private void install() throws IOException, InterruptedException {
        run(
                "mv",
                base.resolve("webapps/ROOT").toString(),
                base.resolve("ROOT.debian").toString());
        Path wars = Files.createDirectory(base.resolve("wars"));
        Path war = Path.of(System.getProperty("anteroom.war", "target/anteroom.war"));
        run("install", "-m", "644", war.toString(), wars.resolve("anteroom.war").toString());
        Path etc = top.resolve("etc/tomcat10");
        for (String file : List.of("server.xml", "logging.properties", "anteroom.properties", "tomcat-users.xml")) {
            installForTomcat(file, etc.resolve(file));
        }
        Path descriptors = etc.resolve("Catalina/localhost");
        run("install", "-d", "-o", "root", "-g", "tomcat", "-m", "750", descriptors.toString());
        installForTomcat("anteroom.xml", descriptors.resolve("ROOT.xml"));
        Path users = etc.resolve("tomcat-users.xml");
        Files.writeString(users, Files.readString(users).replace("</tomcat-users>", """
                          <user username="operator" password="of Debian" roles="anteroom-viewer,anteroom-operator"/>
                        </tomcat-users>"""));
    }

    private static void installForTomcat(String file, Path to) throws IOException, InterruptedException {
        String from = Path.of("tomcat-conf", file).toString();
        run("install", "-o", "root", "-g", "tomcat", "-m", "640", from, to.toString());
    }

    /** Makes the folder for the data, as the documentation of the service says. */
    void makeDataFolder() throws IOException, InterruptedException {
        run(
                "install",
                "-d",
                "-o",
                "tomcat",
                "-g",
                "tomcat",
                "-m",
                "750",
                base.resolve("anteroom").toString());
    }

    TomcatProcess.Builder builder() {
        return TomcatProcess.launchedBy(base, this).property("anteroom.volume.cache.min-free", "0");
    }

    Path base() {
        return base;
    }

    @Override
    public List<String> command(int port, String jvmOptions) {
        return List.of(
                "setpriv",
                "--reuid=tomcat",
                "--regid=tomcat",
                "--init-groups",
                "--no-new-privs",
                "--inh-caps=-all",
                "env",
                "-i",
                "LC_ALL=C.UTF-8",
                "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
                "CATALINA_HOME=" + HOME,
                "CATALINA_BASE=" + base,
                "CATALINA_TMPDIR=/tmp",
                "JAVA_OPTS=-Djava.awt.headless=true",
                "CATALINA_OPTS=-Danteroom.port=" + port + " " + jvmOptions,
                "/bin/sh",
                START);
    }

    private static void run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException(String.join(" ", command) + ": " + output);
        }
    }
}
