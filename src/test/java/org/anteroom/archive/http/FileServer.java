package org.anteroom.archive.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URI;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.file.Path;
import org.anteroom.model.FileKey;
import org.eclipse.jetty.http.HttpURI;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.http.content.HttpContent;
import org.eclipse.jetty.http.content.ResourceHttpContentFactory;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.ResourceHandler;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.resource.ResourceFactory;

/**
 * Jetty's own file server on a free port, for a folder {@code files} in which each segment of an address has one name: slashes in it are
 * written as {@link FileKey#encode} does.
 */
final class FileServer implements AutoCloseable {
    private final Server server = new Server();
    private final ServerConnector connector;

    FileServer(Path folder) throws Exception {
        HttpConfiguration http = new HttpConfiguration();
        http.setUriCompliance(UriCompliance.UNSAFE);
        this.connector = new ServerConnector(server, new HttpConnectionFactory(http));
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        ResourceHandler files = new Uncached();
        files.setBaseResource(ResourceFactory.of(files).newResource(folder));
        files.setDirAllowed(false);
        files.setEtags(true);
        server.setHandler(new Names(files));
        server.start();
    }

    URI uri() {
        return URI.create("http://127.0.0.1:" + connector.getLocalPort() + "/files");
    }

    /** Looks at each file anew: a test changes one within the second in which Jetty trusts its memory. */
    private static final class Uncached extends ResourceHandler {
        @Override
        protected HttpContent.Factory newHttpContentFactory(ByteBufferPool.Sized buffers) {
            return new ResourceHttpContentFactory(getBaseResource(), getMimeTypes(), buffers);
        }
    }

    private static final class Names extends Handler.Wrapper {
        Names(Handler files) {
            super(files);
        }

        @Override
        public boolean handle(Request request, Response response, Callback callback) throws Exception {
            String raw = request.getHttpURI().getPath();
            if (!raw.startsWith("/files/")) {
                return false;
            }
            StringBuilder path = new StringBuilder("/files");
            for (String segment : raw.substring("/files/".length()).split("/", -1)) {
                String name = URLDecoder.decode(segment.replace("+", "%2B"), UTF_8);
                path.append('/')
                        .append(URLEncoder.encode(FileKey.encode(name), UTF_8).replace("+", "%20"));
            }
            HttpURI uri = HttpURI.build(request.getHttpURI(), path.toString(), null, null);
            return super.handle(Request.serveAs(request, uri), response, callback);
        }
    }

    @Override
    public void close() {
        try {
            server.stop();
        } catch (Exception e) {
            throw new IllegalStateException("Jetty does not stop", e);
        } finally {
            server.destroy();
        }
    }
}
