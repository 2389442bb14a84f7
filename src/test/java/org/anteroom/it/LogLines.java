package org.anteroom.it;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/** What is logged while it is open, by whomever in this JVM. */
public final class LogLines extends AppenderBase<ILoggingEvent> implements AutoCloseable {
    private final List<ILoggingEvent> events = new CopyOnWriteArrayList<>();
    private final Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);

    private LogLines() {}

    /** Listens from now on. */
    public static LogLines open() {
        LogLines lines = new LogLines();
        lines.start();
        lines.root.addAppender(lines);
        return lines;
    }

    @Override
    protected void append(ILoggingEvent event) {
        events.add(event);
    }

    /** All lines with their level and logger. */
    public List<String> all() {
        return events.stream()
                .map(event -> event.getLevel() + " " + event.getLoggerName() + " " + event.getFormattedMessage())
                .toList();
    }

    /** The messages from WARN on. */
    public List<String> warnings() {
        return events.stream()
                .filter(event -> event.getLevel().isGreaterOrEqual(Level.WARN))
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    /** Whether a line carries a stack trace. */
    boolean anyStackTrace() {
        return events.stream().anyMatch(event -> event.getThrowableProxy() != null);
    }

    @Override
    public void close() {
        root.detachAppender(this);
        stop();
    }
}
