package org.anteroom.http;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.anteroom.delivery.ResponsePlan;
import org.jspecify.annotations.Nullable;

/** Refusals as they are sent on HTTP/1.1, from whichever thread. */
final class Refused {
    private Refused() {}

    /** False if the answer had begun. */
    static boolean send(HttpServletRequest request, HttpServletResponse response, Throwable failure, AnswerLog answers)
            throws IOException {
        return write(response, Problem.begin(request, response, failure, answers));
    }

    /** The same with a plan of status 412 or 416. */
    static boolean send(HttpServletRequest request, HttpServletResponse response, ResponsePlan plan, AnswerLog answers)
            throws IOException {
        return write(response, Problem.begin(request, response, plan, answers));
    }

    private static boolean write(HttpServletResponse response, byte @Nullable [] body) throws IOException {
        if (body != null) {
            response.getOutputStream().write(body);
        }
        return body != null;
    }
}
