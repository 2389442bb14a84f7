package org.anteroom.inventory;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import org.anteroom.model.FileFacts;
import org.anteroom.model.Sha256;
import org.jdbi.v3.core.mapper.RowMapper;
import org.jdbi.v3.core.statement.SqlStatement;
import org.jspecify.annotations.Nullable;

/** Rows of the tables as records, and facts as columns. */
final class Rows {

    /** The columns of a copy, for statements that call the table {@code c}. */
    static final String COPY = "c.id, c.volume_id, c.objid, c.name, c.size, c.sha256, c.etag, c.content_type,"
            + " c.modified_seconds, c.modified_nanos, c.state, c.since, c.filled_at, c.verified_at";

    /** The columns of a fill. */
    static final String FILL = "id, objid, volume_id, state, bytes, size, attempts, instance, boot, expires,"
            + " CASE WHEN state = 'queued' THEN next_at END AS not_before, reason";

    private static final RowMapper<CopyRow> COPIES = (row, context) -> new CopyRow(
            row.getLong("id"),
            row.getLong("volume_id"),
            row.getString("objid"),
            row.getString("name"),
            facts(row),
            CopyState.parse(row.getString("state")),
            Instant.ofEpochMilli(row.getLong("since")),
            Instant.ofEpochMilli(row.getLong("filled_at")),
            Instant.ofEpochMilli(row.getLong("verified_at")));

    private static final RowMapper<FillRow> FILLS = (row, context) -> {
        long volume = row.getLong("volume_id");
        boolean placed = !row.wasNull();
        return new FillRow(
                row.getLong("id"),
                row.getString("objid"),
                placed ? (Long) volume : null,
                FillState.parse(row.getString("state")),
                row.getLong("bytes"),
                row.getLong("size"),
                row.getInt("attempts"),
                new Owner(row.getString("instance"), row.getString("boot")),
                time(row, "expires"),
                time(row, "not_before"),
                row.getString("reason"));
    };

    private Rows() {}

    static RowMapper<CopyRow> copies() {
        return COPIES;
    }

    static RowMapper<FillRow> fills() {
        return FILLS;
    }

    private static FileFacts facts(ResultSet row) throws SQLException {
        String sha256 = row.getString("sha256");
        long seconds = row.getLong("modified_seconds");
        Instant modified = row.wasNull() ? null : Instant.ofEpochSecond(seconds, row.getInt("modified_nanos"));
        return new FileFacts(
                row.getLong("size"),
                modified,
                row.getString("etag"),
                sha256 == null ? null : new Sha256(sha256),
                row.getString("content_type"));
    }

    /** Binds facts to the parameters that are called like the columns. */
    static <S extends SqlStatement<S>> S bindFacts(S statement, FileFacts facts) {
        Instant modified = facts.lastModified();
        Sha256 sha256 = facts.sha256();
        return statement
                .bind("size", facts.size())
                .bind("sha256", sha256 == null ? null : sha256.hex())
                .bind("etag", facts.etag())
                .bind("content_type", facts.contentType())
                .bind("modified_seconds", modified == null ? null : (Long) modified.getEpochSecond())
                .bind("modified_nanos", modified == null ? null : (Integer) modified.getNano());
    }

    /** A time that may be absent. */
    static @Nullable Instant time(ResultSet row, String column) throws SQLException {
        long millis = row.getLong(column);
        return row.wasNull() ? null : Instant.ofEpochMilli(millis);
    }
}
