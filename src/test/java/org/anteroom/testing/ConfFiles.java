package org.anteroom.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.NamedNodeMap;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/** The operator's files in {@code tomcat-conf/}, as the embedded containers use them. */
final class ConfFiles {
    static final Path TOMCAT_CONF = Path.of("tomcat-conf").toAbsolutePath();
    static final Path WEBAPP = Path.of("webapp").toAbsolutePath();
    static final Path CLASSES = Path.of("target/classes").toAbsolutePath();

    /** Name and password of a user with both roles. */
    static final String OPERATOR = "operator";

    /** Name and password of a user who may only read. */
    static final String VIEWER = "viewer";

    static final String VIEWER_ROLE = "anteroom-viewer";
    static final String OPERATOR_ROLE = "anteroom-operator";

    private ConfFiles() {}

    /** Lays out the folders of a server's base, its properties file, and two users whose passwords are their names. */
    static void layOut(Path base, String properties) throws IOException {
        Files.createDirectories(base.resolve("conf"));
        Files.createDirectories(base.resolve("webapps"));
        Files.createDirectories(base.resolve("anteroom"));
        Files.writeString(base.resolve("conf/anteroom.properties"), properties);
        Files.writeString(
                base.resolve("conf/tomcat-users.xml"), """
                <tomcat-users>
                  <user username="%1$s" password="%1$s" roles="%3$s"/>
                  <user username="%2$s" password="%2$s" roles="%3$s,%4$s"/>
                </tomcat-users>
                """.formatted(VIEWER, OPERATOR, VIEWER_ROLE, OPERATOR_ROLE));
    }

    /** The shipped properties. */
    static String shippedProperties() throws IOException {
        return Files.readString(TOMCAT_CONF.resolve("anteroom.properties"));
    }

    /** The attributes of the connector in the shipped server.xml, without the protocol; defaults of properties taken. */
    static Map<String, String> connector() throws IOException {
        Map<String, String> attributes = attributes(element(TOMCAT_CONF.resolve("server.xml"), "Connector"));
        attributes.remove("protocol");
        return attributes;
    }

    /** The text of the shipped server.xml with TLS switched on as it says itself. */
    static String serverWithTls() throws IOException {
        return Files.readString(TOMCAT_CONF.resolve("server.xml"))
                .lines()
                .filter(line -> !line.matches(" *(<!.. )?TLS-OFF( ..>)?"))
                .collect(Collectors.joining("\n"));
    }

    /**
     * The connector for TLS in the shipped server.xml, with defaults of properties taken.
     *
     * @param connector its attributes, without the protocol
     * @param http2 the attributes of its UpgradeProtocol
     * @param host those of its SSLHostConfig
     * @param certificate those of its Certificate
     */
    record TlsConnector(
            Map<String, String> connector,
            Map<String, String> http2,
            Map<String, String> host,
            Map<String, String> certificate) {}

    static TlsConnector tlsConnector() throws IOException {
        Path enabled = Files.createTempFile("server", ".xml");
        try {
            Files.writeString(enabled, serverWithTls());
            Map<String, String> connector =
                    attributes((Element) elements(enabled, "Connector").item(1));
            connector.remove("protocol");
            return new TlsConnector(
                    connector,
                    attributes(element(enabled, "UpgradeProtocol")),
                    attributes(element(enabled, "SSLHostConfig")),
                    attributes(element(enabled, "Certificate")));
        } finally {
            Files.delete(enabled);
        }
    }

    private static Map<String, String> attributes(Element element) {
        Map<String, String> attributes = new LinkedHashMap<>();
        NamedNodeMap nodes = element.getAttributes();
        for (int i = 0; i < nodes.getLength(); i++) {
            attributes.put(
                    nodes.item(i).getNodeName(),
                    nodes.item(i).getNodeValue().replaceAll("\\$\\{[a-z.-]+?:-([^}]*)}", "$1"));
        }
        return attributes;
    }

    /** The attributes of the inventory's resource in the shipped descriptor. */
    static Map<String, String> inventoryResource(Path base) throws IOException {
        Map<String, String> attributes = new LinkedHashMap<>();
        NamedNodeMap nodes =
                element(TOMCAT_CONF.resolve("anteroom.xml"), "Resource").getAttributes();
        for (int i = 0; i < nodes.getLength(); i++) {
            attributes.put(
                    nodes.item(i).getNodeName(),
                    nodes.item(i).getNodeValue().replace("${catalina.base}", base.toString()));
        }
        return attributes;
    }

    /** How many users the shipped users file defines. */
    static int users() throws IOException {
        return elements(TOMCAT_CONF.resolve("tomcat-users.xml"), "user").getLength();
    }

    private static Element element(Path file, String name) throws IOException {
        return (Element) elements(file, name).item(0);
    }

    private static NodeList elements(Path file, String name) throws IOException {
        try {
            return DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(file.toFile())
                    .getElementsByTagName(name);
        } catch (ParserConfigurationException | SAXException e) {
            throw new IOException("cannot read " + file, e);
        }
    }
}
