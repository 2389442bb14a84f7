package org.anteroom.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import javax.sql.DataSource;

/** Every statement that was prepared on connections of a data source, with the parameters of the last time. */
final class Recording {

    private record Parameter(Method setter, List<Object> arguments) {}

    private final Map<String, List<Parameter>> statements = new ConcurrentHashMap<>();
    private final AtomicBoolean loseAnswer = new AtomicBoolean();

    /** A data source whose statements are recorded. */
    DataSource of(DataSource source) {
        return wrapped(
                DataSource.class,
                source,
                (method, arguments, result) -> result instanceof Connection connection ? of(connection) : result);
    }

    private Connection of(Connection connection) {
        return wrapped(Connection.class, connection, (method, arguments, result) -> {
            if (result instanceof PreparedStatement prepared) {
                return of((String) arguments[0], prepared);
            }
            return result instanceof Statement statement ? of(statement) : result;
        });
    }

    private Statement of(Statement statement) {
        return wrapped(Statement.class, statement, (method, arguments, result) -> {
            boolean commit = method.getName().equals("execute") && arguments[0].equals("COMMIT");
            if (commit && loseAnswer.getAndSet(false)) {
                throw new SQLException("the answer was lost", "08006");
            }
            return result;
        });
    }

    /** Lets the next commit of SQLite succeed and its answer be lost. */
    void loseAnswerOfNextCommit() {
        loseAnswer.set(true);
    }

    private PreparedStatement of(String sql, PreparedStatement prepared) {
        List<Parameter> parameters = new ArrayList<>();
        statements.put(sql, parameters);
        return wrapped(PreparedStatement.class, prepared, (method, arguments, result) -> {
            if (method.getName().startsWith("set") && arguments.length > 1) {
                parameters.removeIf(known -> known.arguments().get(0).equals(arguments[0]));
                parameters.add(new Parameter(method, Arrays.asList(arguments.clone())));
            }
            return result;
        });
    }

    /**
     * A data source that tells how long its connections wait for an answer, each time that a statement is made.
     *
     * @param limits is given milliseconds, 0 for ever
     */
    static DataSource watchingStatements(DataSource source, Consumer<Integer> limits) {
        return wrapped(
                DataSource.class,
                source,
                (method, arguments, result) ->
                        result instanceof Connection connection ? watched(connection, limits) : result);
    }

    private static Connection watched(Connection connection, Consumer<Integer> limits) {
        return wrapped(Connection.class, connection, (method, arguments, result) -> {
            if (result instanceof Statement) {
                limits.accept(connection.getNetworkTimeout());
            }
            return result;
        });
    }

    Set<String> statements() {
        return Set.copyOf(statements.keySet());
    }

    void clear() {
        statements.clear();
    }

    /** Prepares a recorded statement with something before it, such as EXPLAIN, and its parameters of the last time. */
    PreparedStatement prepare(Connection connection, String before, String sql) throws SQLException {
        PreparedStatement prepared = connection.prepareStatement(before + sql);
        try {
            for (Parameter parameter : statements.getOrDefault(sql, List.of())) {
                parameter.setter().invoke(prepared, parameter.arguments().toArray());
            }
        } catch (IllegalAccessException | InvocationTargetException e) {
            prepared.close();
            throw new SQLException(e);
        }
        return prepared;
    }

    private interface After {
        Object apply(Method method, Object[] arguments, Object result) throws SQLException;
    }

    private static <T> T wrapped(Class<T> type, T target, After after) {
        return type.cast(Proxy.newProxyInstance(
                Recording.class.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    try {
                        return after.apply(method, arguments, method.invoke(target, arguments));
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }
}
