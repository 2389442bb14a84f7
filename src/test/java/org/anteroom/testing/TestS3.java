package org.anteroom.testing;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Properties;
import org.anteroom.s3.Checksums;
import org.anteroom.s3.S3Credentials;
import org.anteroom.s3.S3Settings;
import org.gaul.s3proxy.AuthenticationType;
import org.gaul.s3proxy.S3Proxy;
import org.jclouds.ContextBuilder;
import org.jclouds.blobstore.BlobStore;
import org.jclouds.blobstore.BlobStoreContext;

/** A real S3 server in this process, which keeps all in memory or in a folder, on a free port of the loopback. */
public final class TestS3 implements AutoCloseable {
    /** The bucket that there is. */
    public static final String BUCKET = "shelf";

    /** Who may ask. */
    public static final S3Credentials CREDENTIALS = new S3Credentials("local-identity", "local-credential");

    private final BlobStoreContext context;
    private final S3Proxy proxy;

    private TestS3(BlobStoreContext context, S3Proxy proxy) {
        this.context = context;
        this.proxy = proxy;
    }

    /** Starts one. */
    public static TestS3 start() throws Exception {
        return start("transient", new Properties());
    }

    /** Starts one that keeps all in a folder. */
    public static TestS3 startIn(Path folder) throws Exception {
        Properties properties = new Properties();
        properties.setProperty("jclouds.filesystem.basedir", folder.toString());
        return start("filesystem-nio2", properties);
    }

    private static TestS3 start(String provider, Properties properties) throws Exception {
        BlobStoreContext context = ContextBuilder.newBuilder(provider)
                .credentials("nobody", "nothing")
                .overrides(properties)
                .build(BlobStoreContext.class);
        context.getBlobStore().createContainerInLocation(null, BUCKET);
        S3Proxy proxy = S3Proxy.builder()
                .blobStore(context.getBlobStore())
                .endpoint(URI.create("http://127.0.0.1:0"))
                .awsAuthentication(AuthenticationType.AWS_V2_OR_V4, CREDENTIALS.accessKey(), CREDENTIALS.secretKey())
                .ignoreUnknownHeaders(true)
                .build();
        proxy.start();
        return new TestS3(context, proxy);
    }

    /** What lies under the server. */
    public BlobStore store() {
        return context.getBlobStore();
    }

    /** The port that it listens on. */
    public int port() {
        return proxy.getPort();
    }

    /** How it is reached. */
    public S3Settings settings() {
        return settings(port());
    }

    /** How it is reached by way of another port, with short timeouts. */
    public static S3Settings settings(int port) {
        return settings(port, 8, Checksums.MD5);
    }

    /** Likewise with so many connections. */
    public static S3Settings settings(int port, int connections, Checksums checksums) {
        return new S3Settings(
                URI.create("http://127.0.0.1:" + port),
                "us-east-1",
                true,
                CREDENTIALS,
                checksums,
                connections,
                Duration.ofSeconds(5),
                Duration.ofSeconds(1),
                Duration.ofSeconds(5),
                2);
    }

    @Override
    public void close() throws IOException {
        try {
            proxy.stop();
        } catch (Exception e) {
            throw new IOException("the S3 server did not stop", e);
        } finally {
            context.close();
        }
    }
}
