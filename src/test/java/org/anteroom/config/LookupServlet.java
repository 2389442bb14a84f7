package org.anteroom.config;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import javax.naming.NamingException;

/** Says what the container handed out for the inventory and the configuration. */
public final class LookupServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        Surroundings surroundings = Surroundings.ofContainer();
        String answer;
        try (DataSources sources = new DataSources(surroundings)) {
            PoolLookup lookup = sources.inventory();
            if (lookup instanceof PoolLookup.Found found) {
                try (Connection connection = found.pool().getConnection()) {
                    answer = found.name() + " " + found.pool().getClass().getName() + " "
                            + connection.getMetaData().getDatabaseProductName();
                }
            } else {
                answer = ((PoolLookup.Failed) lookup).message();
            }
            answer +=
                    "; config " + surroundings.naming().find("anteroom/config").orElse("none");
        } catch (SQLException | NamingException e) {
            answer = e.toString();
        }
        response.setContentType("text/plain;charset=UTF-8");
        response.getWriter().println(answer);
    }
}
