package org.anteroom.admin;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.jspecify.annotations.Nullable;

/**
 * {@code GET, HEAD /health/live} and {@code /health/ready}, for balancers and supervisors.
 *
 * <p>Live is 200 as long as anything answers. Ready is 503 only while the instance is starting or stopping, or when
 * nothing can be served; a volume, a pool or an archive that is away is told, and no more, since the rest goes on.
 */
public final class HealthServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;
    private static final String RETRY_AFTER_SECONDS = "5";

    @SuppressWarnings("serial") // servlets of this application are never serialised
    private final HealthSource source;

    /** A servlet that tells what the source knows. */
    public HealthServlet(HealthSource source) {
        this.source = source;
    }

    /** The answer of {@code /health/live}. */
    record Live(String state) {}

    /**
     * The answer of {@code /health/ready}.
     *
     * @param state {@code starting}, {@code ready}, {@code stopping}, or {@code unavailable} when nothing can be served
     */
    record Ready(String state, @Nullable String reason, List<Part> pools, List<Part> volumes, List<Part> archives) {}

    /**
     * One of them.
     *
     * @param state {@code ok}, {@code degraded} or {@code away}
     */
    record Part(String name, String state, @Nullable String reason) {}

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        Reading.require(request, response);
        switch (String.valueOf(request.getPathInfo())) {
            case "/live" -> Json.send(request, response, HttpServletResponse.SC_OK, new Live("live"));
            case "/ready" -> ready(request, response);
            default ->
                throw new FailureException(
                        FailureReason.NOT_FOUND, "There is nothing but live and ready at this address.");
        }
    }

    private void ready(HttpServletRequest request, HttpServletResponse response) throws IOException {
        Health health = source.health();
        if (!health.isReady()) {
            response.setHeader("Retry-After", RETRY_AFTER_SECONDS);
        }
        int status = health.isReady() ? HttpServletResponse.SC_OK : HttpServletResponse.SC_SERVICE_UNAVAILABLE;
        Json.send(request, response, status, view(health));
    }

    private static Ready view(Health health) {
        boolean unavailable = health.stage() == Health.Stage.READY && !health.servable();
        return new Ready(
                unavailable ? "unavailable" : health.stage().text(),
                unavailable ? "neither the archive nor any copy can be read" : orNull(health.reason()),
                parts(health, Health.Kind.POOL),
                parts(health, Health.Kind.VOLUME),
                parts(health, Health.Kind.ARCHIVE));
    }

    private static List<Part> parts(Health health, Health.Kind kind) {
        return health.components().stream()
                .filter(component -> component.kind() == kind)
                .map(component -> new Part(component.name(), component.state().text(), orNull(component.reason())))
                .toList();
    }

    private static @Nullable String orNull(String reason) {
        return reason.isEmpty() ? null : reason;
    }
}
