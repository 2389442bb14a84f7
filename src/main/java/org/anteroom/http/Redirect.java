package org.anteroom.http;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.anteroom.model.FailureException;

/** The answer to a folder's address without the slash at its end. */
final class Redirect {
    private static final int PERMANENT_REDIRECT = 308;

    private Redirect() {}

    /**
     * Sends the client on to the same address with a slash, and with its query. The reference is relative, so that it holds
     * behind any proxy; it begins with {@code ./}, since an id may have a colon (RFC 3986, section 4.2).
     *
     * @throws FailureException MALFORMED if the address cannot be read
     */
    static void toFolder(HttpServletRequest request, HttpServletResponse response) throws FailureException {
        String raw = RawUriFilter.rawPath(request);
        String query = request.getQueryString();
        String last = UriText.fit(raw.substring(raw.lastIndexOf('/') + 1));
        response.setStatus(PERMANENT_REDIRECT);
        response.setHeader("Location", "./" + last + "/" + (query == null ? "" : "?" + UriText.fit(query)));
        // what is a folder today may be a file tomorrow
        response.setHeader("Cache-Control", "no-cache");
        response.setContentLength(0);
    }
}
