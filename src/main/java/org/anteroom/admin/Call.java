package org.anteroom.admin;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.anteroom.http.FileTarget;
import org.anteroom.http.Page;
import org.anteroom.http.Problem;
import org.anteroom.http.RawQuery;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.anteroom.model.FileKey;
import org.jspecify.annotations.Nullable;

/** One request to the API, with its answer. */
final class Call {
    private final String root;
    private final String rawPath;
    private final HttpServletRequest request;
    private final HttpServletResponse response;
    private String result = "";

    /**
     * A call.
     *
     * @param root where the API begins
     * @param rawPath the undecoded path of the request after the context path
     */
    Call(String root, String rawPath, HttpServletRequest request, HttpServletResponse response) {
        this.root = root;
        this.rawPath = rawPath;
        this.request = request;
        this.response = response;
    }

    String method() {
        return request.getMethod();
    }

    /** The undecoded path below the API's root, or the empty string for what lies elsewhere. */
    String path() {
        return rawPath.startsWith(root) ? rawPath.substring(root.length()) : "";
    }

    /** The undecoded last segment of the path. */
    String lastSegment() {
        return rawPath.substring(rawPath.lastIndexOf('/') + 1);
    }

    /** The address as it was sent: path and query. */
    String address() {
        return request.getQueryString() == null ? rawPath : rawPath + '?' + request.getQueryString();
    }

    /** The file that the path names after the collection's own name. */
    FileKey file(String collection) throws FailureException {
        if (target(collection) instanceof FileTarget.File file) {
            return file.key();
        }
        throw new FailureException(
                FailureReason.NOT_FOUND, "This address names a folder; the address of an object names a file.");
    }

    /** What the path names after the collection's own name: a file, or a folder. */
    FileTarget target(String collection) throws FailureException {
        return FileTarget.below(root + collection + '/', rawPath, request.getQueryString());
    }

    /** A parameter of the query, or null if it is absent. */
    @Nullable
    String parameter(String name) throws FailureException {
        String query = request.getQueryString();
        return query == null ? null : RawQuery.value(query, name);
    }

    /** The part of a list that is asked for. */
    Page page(String list) throws FailureException {
        return Page.of(list, parameter("limit"), parameter("after"));
    }

    /** Answers 200. */
    void json(Object body) throws IOException {
        Json.send(request, response, HttpServletResponse.SC_OK, body);
    }

    /** Answers 202. */
    void accepted(Object body) throws IOException {
        Json.send(request, response, HttpServletResponse.SC_ACCEPTED, body);
    }

    /** Answers 204. */
    void noContent() {
        response.setStatus(HttpServletResponse.SC_NO_CONTENT);
        response.setHeader("Cache-Control", "no-store");
    }

    /** Tells which methods there are. */
    void allow(String methods) {
        response.setHeader("Allow", methods);
    }

    /** Notes what a change did, for the audit log. */
    void did(String what) {
        result = what;
    }

    /** What {@link #did} noted. */
    String result() {
        return result;
    }

    int status() {
        return response.getStatus();
    }

    @Nullable
    String user() {
        return request.getRemoteUser();
    }

    String requestId() {
        return Problem.requestId(request);
    }
}
