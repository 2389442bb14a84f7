package org.anteroom.testing;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A throw-away certificate for 127.0.0.1 and localhost, made by keytool as docs/deploy.md says, and who trusts it. */
public final class TestCertificate {
    /** What server.xml has as the default. */
    private static final String PASSWORD = "changeit";

    private final Path keystore;

    private TestCertificate(Path keystore) {
        this.keystore = keystore;
    }

    /** Makes one as {@code conf/tls.p12} of a server's base, where server.xml looks for it, unless it is there. */
    public static TestCertificate in(Path base) throws IOException {
        Path keystore = base.resolve("conf/tls.p12");
        if (!Files.exists(keystore)) {
            Files.createDirectories(keystore.getParent());
            make(keystore);
        }
        return new TestCertificate(keystore);
    }

    private static void make(Path keystore) throws IOException {
        Process keytool = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-keystore",
                        keystore.toString(),
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        PASSWORD,
                        "-alias",
                        "anteroom",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=localhost",
                        "-ext",
                        "SAN=dns:localhost,ip:127.0.0.1",
                        "-validity",
                        "30"))
                .redirectErrorStream(true)
                .start();
        String said;
        try (InputStream output = keytool.getInputStream()) {
            said = new String(output.readAllBytes(), StandardCharsets.UTF_8);
        }
        try {
            if (keytool.waitFor() != 0) {
                throw new IOException("keytool: " + said);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    /** The keystore with key and certificate. */
    public Path keystore() {
        return keystore;
    }

    /** What a client uses that trusts this certificate and no other. */
    public SSLContext trusting() throws IOException {
        try {
            KeyStore trusted = KeyStore.getInstance("PKCS12");
            trusted.load(null, null);
            KeyStore made = KeyStore.getInstance(keystore.toFile(), PASSWORD.toCharArray());
            trusted.setCertificateEntry("anteroom", made.getCertificate("anteroom"));
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(trusted);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IOException(e);
        }
    }

    /** The certificate in PEM, for clients that are other programs. */
    public Path pem() throws IOException {
        try {
            KeyStore made = KeyStore.getInstance(keystore.toFile(), PASSWORD.toCharArray());
            String encoded = Base64.getMimeEncoder(64, new byte[] {'\n'})
                    .encodeToString(made.getCertificate("anteroom").getEncoded());
            Path pem = keystore.resolveSibling("tls.pem");
            return Files.writeString(pem, "-----BEGIN CERTIFICATE-----\n" + encoded + "\n-----END CERTIFICATE-----\n");
        } catch (GeneralSecurityException e) {
            throw new IOException(e);
        }
    }
}
