package org.anteroom.e2e;

import java.nio.file.Path;
import java.util.Map;
import org.anteroom.testing.EmbeddedTomcat;

/** Names on the embedded Tomcat 11. */
class Rfc3986NamesOnTomcat11IT extends Rfc3986Names {
    @Override
    Running start(Path base, Path archive) throws Exception {
        EmbeddedTomcat tomcat = EmbeddedTomcat.start(base, Map.of("anteroom.archive.location", archive.toString()));
        return new Running(tomcat, tomcat.uri());
    }
}
