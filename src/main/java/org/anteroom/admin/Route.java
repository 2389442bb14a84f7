package org.anteroom.admin;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.anteroom.model.FailureException;
import org.anteroom.model.FailureReason;

/**
 * An address of the API and what each method does there.
 *
 * @param pattern a path below the API's root; {@code {}} at its end stands for one segment, {@code **} for any
 * @param actions by method, in the order in which they are told to clients
 */
record Route(String pattern, Map<String, Action> actions) {
    private static final String SEGMENT = "{}";
    private static final String ANYTHING = "**";

    /** What a method does. */
    @FunctionalInterface
    interface Action {
        void answer(Call call) throws IOException;
    }

    static Route at(String pattern) {
        return new Route(pattern, Map.of());
    }

    /** The same route with one more method. */
    Route on(String method, Action action) {
        Map<String, Action> more = new LinkedHashMap<>(actions);
        more.put(method, action);
        return new Route(pattern, more);
    }

    /** The same route, to be read; HEAD is a GET whose body is left out. */
    Route get(Action action) {
        return on("GET", action).on("HEAD", action);
    }

    /** Whether a raw path below the root is of this route. */
    boolean matches(String path) {
        if (pattern.endsWith(ANYTHING)) {
            return path.startsWith(stem(ANYTHING));
        }
        if (pattern.endsWith(SEGMENT)) {
            String stem = stem(SEGMENT);
            return path.startsWith(stem) && path.length() > stem.length() && path.indexOf('/', stem.length()) < 0;
        }
        return path.equals(pattern);
    }

    private String stem(String placeholder) {
        return pattern.substring(0, pattern.length() - placeholder.length());
    }

    /**
     * Does what the method of a call asks for.
     *
     * @throws FailureException METHOD_NOT_ALLOWED if there is no such method here
     */
    void answer(Call call) throws IOException {
        String allow = String.join(", ", actions.keySet()) + ", OPTIONS";
        Action action = actions.get(call.method());
        if (action != null) {
            action.answer(call);
        } else if (call.method().equals("OPTIONS")) {
            call.allow(allow);
            call.noContent();
        } else {
            call.allow(allow);
            throw new FailureException(
                    FailureReason.METHOD_NOT_ALLOWED, "This address of the API knows " + allow + ".");
        }
    }
}
