package org.anteroom.it;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** What Tomcat logs while it is open. */
final class ContainerLog extends Handler implements AutoCloseable {
    private final List<LogRecord> records = new CopyOnWriteArrayList<>();
    private final Logger root = Logger.getLogger("");

    private ContainerLog() {}

    /** Listens from now on. */
    static ContainerLog open() {
        ContainerLog log = new ContainerLog();
        log.root.addHandler(log);
        return log;
    }

    @Override
    public void publish(LogRecord event) {
        records.add(event);
    }

    /** The messages from WARNING on, and whatever carries a stack trace. */
    List<String> warnings() {
        return records.stream()
                .filter(event -> event.getLevel().intValue() >= Level.WARNING.intValue() || event.getThrown() != null)
                .map(event -> event.getLoggerName() + " " + event.getMessage() + " " + event.getThrown())
                .toList();
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        root.removeHandler(this);
    }
}
