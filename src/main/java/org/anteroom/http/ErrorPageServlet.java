package org.anteroom.http;

import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.anteroom.model.FailureException;

/**
 * The error page of the web application: gives the container's own errors the shape of a {@link Problem}.
 *
 * <p>Headers that the container has set, such as {@code WWW-Authenticate} and {@code Allow}, stay. Its messages, which may
 * name classes, do not.
 */
public final class ErrorPageServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;

    @SuppressWarnings("serial") // servlets of this application are never serialised
    private final AnswerLog answers;

    /** A servlet that notes its answers there. */
    public ErrorPageServlet(AnswerLog answers) {
        this.answers = answers;
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        if (response.isCommitted()) {
            return;
        }
        Problem problem = problem(request);
        response.setStatus(problem.status());
        problem.write(request, response);
    }

    private Problem problem(HttpServletRequest request) {
        Object code = request.getAttribute(RequestDispatcher.ERROR_STATUS_CODE);
        int status = code instanceof Integer number ? number : 404; // asked for by its own address
        Problem problem = new Problem(status, detail(status));
        if (request.getAttribute(RequestDispatcher.ERROR_EXCEPTION) instanceof Throwable failure) {
            if (failure instanceof FailureException) {
                problem = Problem.of(failure);
            }
            answers.failed(request, problem, failure);
        } else {
            answers.refused(request, problem);
        }
        return problem;
    }

    private static String detail(int status) {
        return switch (status) {
            case 400 -> "The request cannot be understood.";
            case 401 -> "This needs a login.";
            case 403 -> "This login may not do that.";
            case 404 -> "There is nothing at this address.";
            case 405 -> "The method is not for this address.";
            case 503 -> "Anteroom is starting or stopping.";
            default -> status < 500 ? "The request is not one that Anteroom answers." : "Anteroom failed.";
        };
    }
}
