package org.anteroom.http;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;

/**
 * {@code GET, HEAD /files/{id}/{path}}: hands a file's request to the {@link FileService}, a folder's to the
 * {@link ListingService}, and sends the client of a dataset without a slash on to the one with it.
 */
public final class FileServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;
    private static final String ALLOW = "GET, HEAD, OPTIONS";

    @SuppressWarnings("serial") // servlets of this application are never serialised
    private final FileService service;

    @SuppressWarnings("serial")
    private final ListingService listings;

    /** A servlet over the services. */
    public FileServlet(FileService service, ListingService listings) {
        this.service = service;
        this.listings = listings;
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        if (request.getDispatcherType() == DispatcherType.ASYNC) {
            IOException cause = Severance.requested(request, response);
            throw cause != null ? cause : new IOException("dispatched for no reason");
        }
        switch (request.getMethod()) {
            case "GET", "HEAD" -> doGet(request, response);
            case "OPTIONS" -> doOptions(request, response);
            default -> {
                response.setHeader("Allow", ALLOW);
                throw new FailureException(
                        FailureReason.METHOD_NOT_ALLOWED,
                        "Files are read with GET or HEAD; nothing else is done here.");
            }
        }
    }

    /** Named as containers expect it: Tomcat learns from the names of methods what to allow where it refuses TRACE. */
    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        FileTarget target = RawUriFilter.target(request);
        if (target instanceof FileTarget.File file) {
            service.serve(request, response, file);
        } else if (target instanceof FileTarget.Listing listing) {
            listings.serve(request, response, listing.folder());
        } else if (target instanceof FileTarget.Dataset) {
            Redirect.toFolder(request, response);
        } else {
            throw new FailureException(FailureReason.NOT_FOUND, "There is no such file.");
        }
    }

    @Override
    protected void doOptions(HttpServletRequest request, HttpServletResponse response) {
        response.setHeader("Allow", ALLOW);
        response.setStatus(HttpServletResponse.SC_NO_CONTENT);
    }
}
