package org.anteroom.app;

import jakarta.servlet.ServletContext;
import java.util.function.UnaryOperator;
import org.anteroom.archive.Archive;
import org.anteroom.volume.Volume;

/**
 * What whoever embeds the application puts around its archive and its volumes, below the guards that bound and watch them.
 *
 * <p>It is an attribute of the servlet context under {@link #ATTRIBUTE}, set before the application starts; without it
 * nothing is put around anything.
 *
 * @param archive around the archive
 * @param volume around each volume
 */
public record Decorations(UnaryOperator<Archive> archive, UnaryOperator<Volume> volume) {
    /** The name of the attribute. */
    public static final String ATTRIBUTE = Decorations.class.getName();

    static final Decorations NONE = new Decorations(UnaryOperator.identity(), UnaryOperator.identity());

    static Decorations of(ServletContext context) {
        return context.getAttribute(ATTRIBUTE) instanceof Decorations given ? given : NONE;
    }
}
