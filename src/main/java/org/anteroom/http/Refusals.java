package org.anteroom.http;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.anteroom.delivery.ResponsePlan;
import org.jspecify.annotations.Nullable;

/** How requests that are not asynchronous are refused: a {@link Problem} is their answer. */
public final class Refusals {
    private final AnswerLog log;
    private final ShortAnswers answers;

    /** Refusals that are noted there, and are sent in that way. */
    public Refusals(AnswerLog log, ShortAnswers answers) {
        this.log = log;
        this.answers = answers;
    }

    /**
     * Refuses a request, on the container's thread; does nothing if its answer has begun.
     *
     * @throws IOException if the client is gone
     */
    void refuse(HttpServletRequest request, HttpServletResponse response, Throwable failure) throws IOException {
        finish(request, response, Problem.begin(request, response, failure, log));
    }

    /** The same with a plan of status 412 or 416. */
    void refuse(HttpServletRequest request, HttpServletResponse response, ResponsePlan plan) throws IOException {
        finish(request, response, Problem.begin(request, response, plan, log));
    }

    private void finish(HttpServletRequest request, HttpServletResponse response, byte @Nullable [] body)
            throws IOException {
        if (body != null) {
            answers.send(request, response, body);
        }
    }
}
