package org.anteroom.archive.http;

import com.github.benmanes.caffeine.cache.Ticker;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.anteroom.archive.http.Deadlines.Deadline;
import org.anteroom.model.FailureException;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.config.TlsConfig;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.ManagedHttpClientConnectionFactory;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.EndpointDetails;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.NoHttpResponseException;
import org.apache.hc.core5.http.config.Http1Config;
import org.apache.hc.core5.http.message.BasicHeader;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.util.TimeValue;
import org.apache.hc.core5.util.Timeout;
import org.jspecify.annotations.Nullable;

/**
 * Requests to the other server: bounded in number, in time, in the size of headers, and to the addresses below its base.
 *
 * <p>A request over a connection that was kept, and that the server has closed meanwhile, is made once more; nothing else is.
 */
final class Upstream {
    static final int MOST_REDIRECTS = 5;

    private static final int LONGEST_LINE = 16 * 1024;
    private static final int MOST_HEADERS = 200;
    private static final int MOST_EMPTY_LINES = 10;
    private static final TimeValue CHECKED_AFTER = TimeValue.ofSeconds(1);
    private static final TimeValue KEPT_IDLE = TimeValue.ofSeconds(30);

    private final Addresses addresses;
    private final HttpArchiveSettings settings;
    private final Connections connections;
    private final Deadlines deadlines;
    private final PoolingHttpClientConnectionManager pool;
    private final CloseableHttpClient client;

    /** No connection is made before the first request. */
    Upstream(HttpArchiveSettings settings, Addresses addresses, Connections connections, Ticker ticker) {
        this.settings = settings;
        this.addresses = addresses;
        this.connections = connections;
        this.deadlines = new Deadlines(ticker);
        Timeout connect = Timeout.of(settings.connectTimeout());
        // deadlines bound each step as it should be; these end what a deadline cannot break off
        Duration longest = settings.firstByteTimeout().compareTo(settings.stallTimeout()) > 0
                ? settings.firstByteTimeout()
                : settings.stallTimeout();
        this.pool = PoolingHttpClientConnectionManagerBuilder.create()
                .setConnectionFactory(ManagedHttpClientConnectionFactory.builder()
                        .http1Config(Http1Config.custom()
                                .setMaxLineLength(LONGEST_LINE)
                                .setMaxHeaderCount(MOST_HEADERS)
                                .setMaxEmptyLineCount(MOST_EMPTY_LINES)
                                .build())
                        .build())
                .setDefaultConnectionConfig(ConnectionConfig.custom()
                        .setConnectTimeout(connect)
                        .setSocketTimeout(Timeout.of(longest))
                        .setValidateAfterInactivity(CHECKED_AFTER)
                        .build())
                .setDefaultTlsConfig(
                        TlsConfig.custom().setHandshakeTimeout(connect).build())
                .setMaxConnTotal(settings.connections())
                .setMaxConnPerRoute(settings.connections())
                .build();
        this.client = HttpClients.custom()
                .setConnectionManager(pool)
                .setUserAgent("Anteroom")
                .setDefaultHeaders(always())
                .setDefaultRequestConfig(RequestConfig.custom()
                        .setConnectionRequestTimeout(connect)
                        .setResponseTimeout(Timeout.of(longest))
                        .setAuthenticationEnabled(false)
                        .setProtocolUpgradeEnabled(false)
                        .build())
                .disableRedirectHandling()
                .disableAutomaticRetries()
                .disableContentCompression()
                .disableCookieManagement()
                .disableAuthCaching()
                .build();
    }

    private List<Header> always() {
        List<Header> headers = new ArrayList<>();
        headers.add(new BasicHeader("Accept", "*/*"));
        headers.add(new BasicHeader("Accept-Encoding", "identity"));
        headers.add(new BasicHeader("Want-Repr-Digest", "sha-256=10"));
        HttpCredentials credentials = settings.credentials();
        if (credentials != null) {
            headers.add(new BasicHeader("Authorization", credentials.authorization(), true));
        }
        return headers;
    }

    /**
     * The answer to a request, after redirects; its headers are there within the first-byte timeout.
     *
     * @throws FailureException ARCHIVE_FAILED, ARCHIVE_TIMEOUT, OVERLOADED, or what {@link Addresses#redirected} throws
     */
    Reply ask(String method, URI address, Map<String, String> fields) throws IOException {
        long due = deadlines.after(settings.firstByteTimeout());
        URI at = address;
        for (int hops = 0; ; hops++) {
            Reply reply = exchange(method, at, fields, due);
            String location = redirect(reply);
            if (location == null) {
                return reply;
            }
            reply.discard(settings.stallTimeout());
            if (hops == MOST_REDIRECTS) {
                throw Failures.refused("The archive sends requests for the file around without end.");
            }
            at = addresses.redirected(at, location);
        }
    }

    /** The answer to a request, which may be a redirect. */
    Reply askOnce(String method, URI address) throws IOException {
        return exchange(method, address, Map.of(), deadlines.after(settings.firstByteTimeout()));
    }

    private static @Nullable String redirect(Reply reply) {
        return switch (reply.status()) {
            case 301, 302, 303, 307, 308 -> reply.field("Location");
            default -> null;
        };
    }

    private Reply exchange(String method, URI address, Map<String, String> fields, long due) throws IOException {
        for (boolean again = false; ; again = true) {
            HttpUriRequestBase request = new HttpUriRequestBase(method, address);
            fields.forEach(request::setHeader);
            HttpClientContext context = HttpClientContext.create();
            connections.acquire();
            boolean answered = false;
            Deadline deadline = deadlines.at(due, request::cancel);
            try {
                ClassicHttpResponse response = client.executeOpen(null, request, context);
                HttpEntity entity = response.getEntity();
                InputStream body = entity == null ? null : entity.getContent();
                answered = true;
                return new Reply(request, response, body, connections, deadlines);
            } catch (IOException e) {
                if (again || deadline.isOver() || !wasClosedMeanwhile(context, e)) {
                    throw Failures.of(e, deadline.isOver());
                }
            } finally {
                deadline.end();
                if (!answered) {
                    request.cancel();
                    connections.release();
                }
            }
        }
    }

    private static boolean wasClosedMeanwhile(HttpClientContext context, IOException e) {
        EndpointDetails connection = context.getEndpointDetails();
        return (e instanceof NoHttpResponseException || e instanceof SocketException)
                && connection != null
                && connection.getRequestCount() > 1;
    }

    /** Breaks off what has taken too long, and closes connections that nobody has used for a while. */
    void watch() {
        deadlines.expire();
        pool.closeIdle(KEPT_IDLE);
    }

    /** Closes all connections; requests that run fail. */
    void close() {
        client.close(CloseMode.IMMEDIATE);
    }
}
