package org.anteroom.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.nio.file.Path;
import java.util.Optional;
import javax.sql.DataSource;
import org.anteroom.testing.TestPostgres;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;
import org.sqlite.SQLiteDataSource;

class DialectsTest {
    private static final String NOWHERE = "jdbc:postgresql://127.0.0.1:1/nowhere";

    @TempDir
    Path folder;

    private static Optional<Database.Kind> known(DataSource pool) {
        return Dialects.known(pool).map(Dialect::kind);
    }

    @Test
    void aPoolTellsByItsUrlDriverOrDataSourceThoughTheDatabaseIsAway() throws Exception {
        org.apache.tomcat.jdbc.pool.DataSource tomcat = new org.apache.tomcat.jdbc.pool.DataSource();
        tomcat.setUrl(NOWHERE);
        assertThat(known(tomcat)).contains(Database.Kind.SERVER);
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(NOWHERE);
        config.setInitializationFailTimeout(-1);
        try (HikariDataSource hikari = new HikariDataSource(config)) {
            assertThat(known(hikari)).contains(Database.Kind.SERVER);
        }
        config = new HikariConfig();
        config.setDataSource(new SQLiteDataSource());
        try (HikariDataSource hikari = new HikariDataSource(config)) {
            assertThat(known(hikari)).contains(Database.Kind.FILE);
        }
        assertThat(known(new PGSimpleDataSource())).contains(Database.Kind.SERVER);
        LateDataSource late = new LateDataSource(() -> tomcat);
        assertThat(late.found()).isNull();
        assertThat(Dialects.of(late.pool()).kind()).isEqualTo(Database.Kind.SERVER);
    }

    @Test
    void anUnknownPoolsDatabaseIsAskedForItsName() throws Exception {
        SQLiteDataSource sqlite = new SQLiteDataSource();
        sqlite.setUrl("jdbc:sqlite:" + folder.resolve("a.db"));
        DataSource unknown = new LateDataSource(() -> sqlite);
        assertThat(Dialects.known(unknown)).isEmpty();
        assertThat(Dialects.of(unknown).kind()).isEqualTo(Database.Kind.FILE);
        DataSource server = new LateDataSource(() -> TestPostgres.shared().dataSource("postgres"));
        assertThat(Dialects.of(server).kind()).isEqualTo(Database.Kind.SERVER);
    }
}
