package org.anteroom.admin;

import java.util.Locale;
import org.anteroom.http.Problem;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The audit log: one line for each change that was asked for, on a logger of its own, {@code org.anteroom.audit}.
 *
 * <p>A line says who, what, the status of the answer, what came of it, and the request's id. Text that a client chose is
 * quoted, and what could look like another line or hide a part of this one is escaped.
 */
final class Audit {
    private static final Logger log = LoggerFactory.getLogger("org.anteroom.audit");

    private Audit() {}

    /** A change that was carried out. */
    static void done(Call call) {
        line(call, call.status(), call.result());
    }

    /** A change that was refused, or that failed. */
    static void failed(Call call, Throwable failure) {
        Problem problem = Problem.of(failure);
        line(call, problem.status(), problem.detail());
    }

    private static void line(Call call, int status, String result) {
        String user = call.user();
        log.info(
                "user={} change={} status={} result={} request={}",
                user == null ? "-" : quoted(user),
                quoted(call.method() + ' ' + call.address()),
                status,
                quoted(result),
                call.requestId());
    }

    static String quoted(String text) {
        StringBuilder out = new StringBuilder(text.length() + 16).append('"');
        text.codePoints().forEach(c -> {
            if (c == '"' || c == '\\') {
                out.append('\\').append((char) c);
            } else if (isVisible(c)) {
                out.appendCodePoint(c);
            } else {
                out.append(String.format(Locale.ROOT, "\\u{%x}", c));
            }
        });
        return out.append('"').toString();
    }

    /** Controls, line ends and marks that turn the direction of writing are not. */
    private static boolean isVisible(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE,
                    Character.UNASSIGNED -> false;
            default -> true;
        };
    }
}
