package org.anteroom.jdbc;

import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Collections;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The JDBC drivers that came with the application. */
public final class Drivers {
    private static final Logger log = LoggerFactory.getLogger(Drivers.class);

    private Drivers() {}

    /** Takes them back from the JVM-wide list, which would keep the whole application in memory after its end. */
    public static void deregister(ClassLoader application) {
        for (Driver driver : Collections.list(DriverManager.getDrivers())) {
            if (driver.getClass().getClassLoader() == application) {
                try {
                    DriverManager.deregisterDriver(driver);
                } catch (SQLException e) {
                    log.debug("a driver stays registered", e);
                }
            }
        }
    }
}
