package org.anteroom.e2e;

import java.nio.file.Path;
import java.util.Map;
import org.anteroom.testing.EmbeddedJetty;

/** Names on Jetty, told to let ambiguous addresses pass. */
class Rfc3986NamesOnJettyIT extends Rfc3986Names {
    @Override
    Running start(Path base, Path archive) throws Exception {
        EmbeddedJetty jetty = EmbeddedJetty.start(base, Map.of("anteroom.archive.location", archive.toString()));
        return new Running(jetty, jetty.uri());
    }

    @Override
    boolean isLenient() {
        return true;
    }
}
