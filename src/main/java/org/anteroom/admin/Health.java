package org.anteroom.admin;

import java.util.List;
import java.util.Locale;

/**
 * How an instance is at a moment. Everybody may see it, so its texts name no path, host or statement.
 *
 * @param stage where it is in its life
 * @param reason what a start or a stop waits for, or the empty string
 * @param servable whether anything can be served: the archive answers, or a volume whose copies can be found is readable
 * @param components every pool, volume and archive
 */
public record Health(Stage stage, String reason, boolean servable, List<Component> components) {

    /** Where an instance is in its life. */
    public enum Stage {
        /** It does not serve yet. */
        STARTING,
        /** It serves. */
        READY,
        /** It does not serve any more. */
        STOPPING;

        String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** What kind of thing a component is. */
    public enum Kind {
        /** A pool of database connections. */
        POOL,
        /** A volume. */
        VOLUME,
        /** An archive. */
        ARCHIVE
    }

    /** How a component is. */
    public enum State {
        /** Nothing is wrong. */
        OK,
        /** It is not used, or only in part, until it is well again. */
        DEGRADED,
        /** It cannot be reached. */
        AWAY;

        String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * Something that the instance depends on.
     *
     * @param reason what is wrong, or the empty string
     */
    public record Component(String name, Kind kind, State state, String reason) {}

    /** Copies the list. */
    public Health {
        components = List.copyOf(components);
    }

    /** Whether requests should be sent to it. */
    boolean isReady() {
        return stage == Stage.READY && servable;
    }
}
