package org.anteroom.admin;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.anteroom.archive.ArchiveGate;
import org.anteroom.fill.Caching;
import org.anteroom.fill.Heads;
import org.anteroom.fill.Prefetch;
import org.anteroom.http.RawUriFilter;
import org.anteroom.inventory.CopyStore;
import org.anteroom.inventory.FillQueue;
import org.anteroom.inventory.FillStore;
import org.anteroom.inventory.Locations;
import org.anteroom.inventory.VolumeStore;
import org.anteroom.jdbc.DatabaseException;
import org.anteroom.jdbc.Pools;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;

/**
 * The administration API under {@code /api/v1}, as JSON.
 *
 * <p>Who may call it is settled by the container before (see {@code web.xml}). Any method but GET, HEAD and OPTIONS is a
 * change: it needs the header {@code X-Anteroom-Request: 1}, which no form of a foreign site can send, and leaves one line
 * in the audit log, whatever comes of it.
 */
public final class ApiServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;
    private static final String ROOT = "/api/v1";
    private static final Set<String> SAFE = Set.of("GET", "HEAD", "OPTIONS");

    @SuppressWarnings("serial") // servlets of this application are never serialised
    private final List<Route> routes;

    /** The API over an inventory and what an instance remembers of it. */
    public ApiServlet(
            VolumeStore volumeStore,
            CopyStore copyStore,
            FillStore fillStore,
            FillQueue queue,
            Prefetch prefetch,
            Heads heads,
            Caching caching,
            Locations<?> locations,
            ArchiveGate archive,
            Pools pools) {
        VolumesResource volumes = new VolumesResource(volumeStore, caching);
        ObjectsResource objects = new ObjectsResource(
                copyStore, fillStore, queue, prefetch, heads, volumeStore, caching, locations, archive);
        FillsResource fills = new FillsResource(fillStore, queue, volumeStore, caching);
        routes = List.of(
                Route.at("/volumes").get(volumes::list),
                Route.at("/volumes/{}").get(volumes::get),
                Route.at("/objects").get(objects::list),
                Route.at("/objects/**")
                        .get(objects::get)
                        .on("PUT", objects::put)
                        .on("DELETE", objects::delete),
                Route.at("/fills").get(fills::list),
                Route.at("/fills/{}").get(fills::get).on("DELETE", fills::delete),
                Route.at("/pools").get(call -> call.json(call.page("pools").among(pools.figures(), p -> p.name()))));
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        Call call = new Call(ROOT, RawUriFilter.rawPath(request), request, response);
        if (SAFE.contains(request.getMethod())) {
            answer(call);
            return;
        }
        try {
            requireOwnRequest(request);
            answer(call);
        } catch (IOException | RuntimeException e) {
            Audit.failed(call, e);
            throw e;
        }
        Audit.done(call);
    }

    private static void requireOwnRequest(HttpServletRequest request) throws FailureException {
        if (!"1".equals(request.getHeader("X-Anteroom-Request"))) {
            throw new FailureException(
                    FailureReason.FORBIDDEN,
                    "A change needs the header X-Anteroom-Request: 1, by which it is known not to be another site's.");
        }
    }

    private void answer(Call call) throws IOException {
        Route route = routes.stream()
                .filter(r -> r.matches(call.path()))
                .findFirst()
                .orElseThrow(
                        () -> new FailureException(FailureReason.NOT_FOUND, "The API has nothing at this address."));
        try {
            route.answer(call);
        } catch (DatabaseException e) {
            throw translated(e);
        }
    }

    private static FailureException translated(DatabaseException failure) {
        return switch (failure.reason()) {
            case AWAY ->
                new FailureException(FailureReason.DATABASE_AWAY, "The inventory's database is away.", failure);
            case TIMEOUT ->
                new FailureException(
                        FailureReason.DATABASE_AWAY,
                        "The inventory's database did not answer in time; a change may yet be made.",
                        failure);
            case CONFLICT ->
                new FailureException(FailureReason.CONFLICT, "Somebody else changed this at the same time.", failure);
            case OTHER ->
                new FailureException(
                        FailureReason.INTERNAL,
                        "The inventory failed; the operators find the reason by the request id.",
                        failure);
        };
    }
}
