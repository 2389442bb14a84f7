package org.anteroom.e2e;

import java.nio.file.Path;
import org.anteroom.testing.TomcatProcess;

/** Names on a distribution of Tomcat 10.1 with the operators' files. */
class Rfc3986NamesOnTomcat10IT extends Rfc3986Names {
    @Override
    Running start(Path base, Path archive) throws Exception {
        TomcatProcess tomcat = TomcatProcess.tomcat10(base)
                .property("anteroom.archive.location", archive.toString())
                .start();
        return new Running(tomcat, tomcat.uri());
    }
}
