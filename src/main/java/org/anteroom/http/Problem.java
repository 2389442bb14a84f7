package org.anteroom.http;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;
import org.anteroom.delivery.ResponsePlan;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a request that failed: {@code application/problem+json} (RFC 9457), or a small page for a browser.
 *
 * <p>It has the members type ({@code about:blank}), title, status, detail and requestId. The detail is the message of a
 * {@link FailureException}; of anything else a client learns no more than the id under which the log has it. The id is in
 * the field {@code X-Request-Id}, too, since an answer to HEAD has no body.
 *
 * @param status the status code
 * @param detail one sentence for the client
 * @param retryAfter for the field {@code Retry-After} of a 503, which has it in whole seconds from 1 to an hour
 */
public record Problem(int status, String detail, Duration retryAfter) {
    private static final String FAULT = "Anteroom failed; its operators find the reason by the request id.";
    private static final Duration RETRY_AFTER = Duration.ofSeconds(5);
    private static final Duration LONGEST_RETRY_AFTER = Duration.ofHours(1);
    private static final String REQUEST_ID = Problem.class.getName() + ".id";

    /** A problem that may be over in a moment, if it is one that passes at all. */
    public Problem(int status, String detail) {
        this(status, detail, RETRY_AFTER);
    }

    /** The problem that a failure is to its client. */
    public static Problem of(Throwable failure) {
        return failure instanceof FailureException known
                ? new Problem(
                        status(known.reason()),
                        known.getMessage(),
                        known.retryAfter().orElse(RETRY_AFTER))
                : new Problem(500, FAULT);
    }

    /** The status code of a reason: the one place where they meet. */
    public static int status(FailureReason reason) {
        return switch (reason) {
            case MALFORMED -> 400;
            case FORBIDDEN -> 403;
            case NOT_FOUND, NOT_LISTED -> 404;
            case METHOD_NOT_ALLOWED -> 405;
            case CONFLICT -> 409;
            case CONDITION_FAILED -> 412;
            case INTERNAL -> 500;
            case ARCHIVE_FAILED, ARCHIVE_REFUSED, WRONG_BYTES, FILE_CHANGED -> 502;
            case OVERLOADED, ARCHIVE_AWAY, DATABASE_AWAY, NOT_READY -> 503;
            case ARCHIVE_TIMEOUT -> 504;
        };
    }

    /**
     * Logs a failure and makes it the answer, as long as nothing was sent: every header that was set is dropped, but for
     * {@code Allow} and those of {@link CorsFilter}.
     *
     * @return the body to send; null, with nothing done, if the answer had begun: the caller breaks it off, and knows whether
     *     that is worth a line in the log
     */
    static byte @Nullable [] begin(
            HttpServletRequest request, HttpServletResponse response, Throwable failure, AnswerLog answers) {
        if (response.isCommitted()) {
            return null;
        }
        Problem problem = of(failure);
        answers.failed(request, problem, failure);
        return problem.answer(request, response, null);
    }

    /**
     * Logs a plan of status 412 or 416 and makes what it says the answer.
     *
     * @return the body to send; null if the answer had begun
     */
    static byte @Nullable [] begin(
            HttpServletRequest request, HttpServletResponse response, ResponsePlan plan, AnswerLog answers) {
        if (response.isCommitted()) {
            return null;
        }
        String detail = plan.status() == 412
                ? "The file is not, or no longer, the one that the conditions name."
                : "No part of the range lies in the file.";
        Problem problem = new Problem(plan.status(), detail);
        answers.refused(request, problem);
        return problem.answer(request, response, plan);
    }

    private byte[] answer(HttpServletRequest request, HttpServletResponse response, @Nullable ResponsePlan plan) {
        String allow = response.getHeader("Allow");
        CorsFilter.Kept readers = CorsFilter.keep(response);
        response.reset();
        readers.putBack(response);
        if (status == 405) {
            response.setHeader("Allow", allow == null ? "GET, HEAD" : allow);
        }
        if (plan != null) {
            plan.forEachHeader(response::setHeader);
        }
        response.setStatus(status);
        return head(request, response);
    }

    /**
     * Answers in the place of a response whose status is set, from within the container; on HTTP/2 with the head alone. For
     * the container waits there until the client has taken the body, and lets nothing be sent later.
     */
    void write(HttpServletRequest request, HttpServletResponse response) throws IOException {
        byte[] body = head(request, response);
        if (Container.multiplexes(request)) {
            response.setContentLength(0);
        } else {
            response.getOutputStream().write(body);
        }
    }

    /** Sets the headers of a response whose status is set; the body that is to follow. */
    private byte[] head(HttpServletRequest request, HttpServletResponse response) {
        boolean html = Accept.prefersHtml(FileRequests.field(request, "Accept"));
        String id = requestId(request);
        byte[] body = (html ? html(id) : json(id)).getBytes(StandardCharsets.UTF_8);
        if (status == 503) {
            response.setHeader("Retry-After", Long.toString(retryAfterSeconds()));
        }
        response.setHeader("Cache-Control", "no-store");
        response.addHeader("Vary", "Accept");
        response.setHeader("X-Request-Id", id);
        response.setHeader("X-Content-Type-Options", "nosniff");
        if (html) {
            response.setHeader("Content-Security-Policy", "default-src 'none'");
        }
        response.setContentType(html ? "text/html;charset=utf-8" : "application/problem+json");
        response.setContentLength(body.length);
        return request.getMethod().equals("HEAD") ? new byte[0] : body;
    }

    private long retryAfterSeconds() {
        Duration wait = retryAfter.compareTo(LONGEST_RETRY_AFTER) < 0 ? retryAfter : LONGEST_RETRY_AFTER;
        return Math.max(1, wait.plusMillis(999).toSeconds());
    }

    /** Gives a request the id that it has elsewhere already. */
    static void identify(HttpServletRequest request, String id) {
        request.setAttribute(REQUEST_ID, id);
    }

    /** The request's id, random, and the same for as long as the request lives; made when something first asks for it. */
    public static String requestId(HttpServletRequest request) {
        if (request.getAttribute(REQUEST_ID) instanceof String known) {
            return known;
        }
        String id = HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong());
        identify(request, id);
        return id;
    }

    /** The reason phrase of the status (RFC 9110, section 15), which is the title of an about:blank problem. */
    String title() {
        return switch (status) {
            case 400 -> "Bad Request";
            case 401 -> "Unauthorized";
            case 403 -> "Forbidden";
            case 404 -> "Not Found";
            case 405 -> "Method Not Allowed";
            case 409 -> "Conflict";
            case 412 -> "Precondition Failed";
            case 413 -> "Content Too Large";
            case 415 -> "Unsupported Media Type";
            case 416 -> "Range Not Satisfiable";
            case 500 -> "Internal Server Error";
            case 501 -> "Not Implemented";
            case 502 -> "Bad Gateway";
            case 503 -> "Service Unavailable";
            case 504 -> "Gateway Timeout";
            default -> status < 500 ? "Client Error" : "Server Error";
        };
    }

    private String json(String id) {
        StringBuilder json = new StringBuilder(160 + detail.length());
        json.append("{\"type\":\"about:blank\",\"title\":\"").append(title()).append("\",\"status\":");
        json.append(status).append(",\"detail\":\"");
        escapeJson(detail, json);
        json.append("\",\"requestId\":\"");
        escapeJson(id, json);
        return json.append("\"}\n").toString();
    }

    private String html(String id) {
        StringBuilder page = new StringBuilder(320 + detail.length());
        page.append("<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>");
        page.append(status).append(' ').append(title()).append("</title></head>\n<body>\n<h1>");
        page.append(title()).append("</h1>\n<p>");
        Html.escape(detail, page);
        page.append("</p>\n<p>Status ").append(status).append(", request ");
        Html.escape(id, page);
        return page.append("</p>\n</body>\n</html>\n").toString();
    }

    private static void escapeJson(String text, StringBuilder out) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < 0x20) {
                out.append("\\u00").append(HexFormat.of().toHexDigits((byte) c));
            } else {
                out.append(c);
            }
        }
    }
}
