package org.anteroom.http;

import com.github.benmanes.caffeine.cache.Ticker;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import org.anteroom.model.FailureException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * The log of answers that are refusals or failures: a line for each, with the id that the client has, as long as they are few.
 *
 * <p>Of many failures with one reason the first has a line, and then one a minute that counts the others ({@link OutageLog}).
 * Of many refusals, which clients bring about, a few have lines, and then one counts the others ({@link RefusalLog}), so that
 * somebody who tries out addresses does not fill the disk; likewise of answers that are broken off. What is left out is
 * there on DEBUG.
 */
public final class AnswerLog {
    private static final int LONGEST_PATH = 200;
    /** Defined from Servlet 6.1 on, where an error page is always asked for with GET. */
    private static final String ERROR_METHOD = "jakarta.servlet.error.method";

    private static final Logger log = LoggerFactory.getLogger(AnswerLog.class);

    private final OutageLog outages;
    private final RefusalLog refusals;
    private final RefusalLog ends;

    /** A log whose times are the ticker's. */
    public AnswerLog(Ticker ticker) {
        this.outages = new OutageLog(ticker);
        this.refusals = new RefusalLog(ticker);
        this.ends = new RefusalLog(ticker);
    }

    /** Notes an answer to a failure. */
    void failed(HttpServletRequest request, Problem problem, Throwable failure) {
        if (failure instanceof FailureException known) {
            switch (known.reason()) {
                case MALFORMED,
                        FORBIDDEN,
                        NOT_FOUND,
                        NOT_LISTED,
                        METHOD_NOT_ALLOWED,
                        CONFLICT,
                        CONDITION_FAILED,
                        NOT_READY -> refused(request, problem);
                case ARCHIVE_FAILED,
                        ARCHIVE_REFUSED,
                        ARCHIVE_AWAY,
                        ARCHIVE_TIMEOUT,
                        WRONG_BYTES,
                        FILE_CHANGED,
                        OVERLOADED,
                        DATABASE_AWAY -> outage(request, problem, known);
                case INTERNAL -> fault(request, failure);
            }
        } else if (failure instanceof IOException) {
            // most often a client who left in the middle of a request: not our fault, and no news
            tellHidden();
            log.atLevel(ends.hasLine() ? Level.WARN : Level.DEBUG)
                    .log("{} broke off: {}", name(request), printable(String.valueOf(failure)));
            log.debug("where it broke off", failure);
        } else {
            fault(request, failure);
        }
    }

    private static void fault(HttpServletRequest request, Throwable failure) {
        log.error("{} failed", name(request), failure);
    }

    private void outage(HttpServletRequest request, Problem problem, FailureException failure) {
        long count = outages.lines(failure.reason());
        Throwable cause = failure.getCause();
        String why = cause == null ? "" : " (" + printable(String.valueOf(cause)) + ")";
        String others = count > 1 ? "; the same for " + (count - 1) + " more since the last such line" : "";
        log.atLevel(count == 0 ? Level.DEBUG : Level.WARN)
                .log(
                        "{} answered {}: {}{}{}",
                        name(request),
                        problem.status(),
                        printable(problem.detail()),
                        why,
                        others);
    }

    /** Notes an answer that refuses what a client asked for. */
    void refused(HttpServletRequest request, Problem problem) {
        tellHidden();
        log.atLevel(refusals.hasLine() ? Level.INFO : Level.DEBUG)
                .log("{} answered {}: {}", name(request), problem.status(), printable(problem.detail()));
    }

    /**
     * Notes how a transfer ended that is neither complete nor given up by its client.
     *
     * @param id the request's
     * @param what is sent, for the operators
     */
    void ended(String id, String what, Transfer.End end, long sent, @Nullable Throwable cause) {
        if (end == Transfer.End.FAILED && sent > 0) {
            tellHidden();
            log.atLevel(ends.hasLine() ? Level.WARN : Level.DEBUG)
                    .log(
                            "request {}: the transfer of {} was broken off after {} bytes: {}",
                            id,
                            what,
                            sent,
                            printable(String.valueOf(cause)));
        } else if (end == Transfer.End.STALLED) {
            tellHidden();
            log.atLevel(ends.hasLine() ? Level.INFO : Level.DEBUG)
                    .log(
                            "request {}: a client of {} took nothing for too long and was dropped after {} bytes",
                            id,
                            what,
                            sent);
        }
    }

    /** Says how many had no line, once the time of those that had is up; to be called now and then. */
    public void tellHidden() {
        long count = refusals.end();
        if (count > 0) {
            log.info("{} more refusals are not shown", count);
        }
        long broken = ends.end();
        if (broken > 0) {
            log.warn("{} more answers that were broken off are not shown", broken);
        }
    }

    /** The request by its id, and by what was asked for, without the query: of the client's own text what is harmless. */
    private static String name(HttpServletRequest request) {
        Object method = request.getAttribute(ERROR_METHOD);
        Object path = request.getAttribute(RequestDispatcher.ERROR_REQUEST_URI);
        return "request " + Problem.requestId(request)
                + " (" + ascii(method == null ? request.getMethod() : method.toString())
                + " " + ascii(path == null ? request.getRequestURI() : path.toString())
                + ")";
    }

    private static String ascii(@Nullable String text) {
        if (text == null) {
            return "?";
        }
        StringBuilder ascii = new StringBuilder(text.length());
        for (int i = 0; i < Math.min(text.length(), LONGEST_PATH); i++) {
            char c = text.charAt(i);
            ascii.append(c > ' ' && c < 0x7f ? c : '?');
        }
        return ascii.append(text.length() > LONGEST_PATH ? "..." : "").toString();
    }

    /** What clients or archives chose must not begin lines of the log. */
    private static String printable(String text) {
        StringBuilder line = new StringBuilder(text);
        for (int i = 0; i < line.length(); i++) {
            char c = line.charAt(i);
            if (Character.isISOControl(c) || c == '\u2028' || c == '\u2029') {
                line.setCharAt(i, ' ');
            }
        }
        return line.toString();
    }
}
