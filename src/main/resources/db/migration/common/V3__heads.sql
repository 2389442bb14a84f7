-- The newest version of each dataset as the archive told it last. NULL: its files have no versions.

CREATE TABLE heads (
    dataset ${text} NOT NULL PRIMARY KEY,
    version ${text},
    since   BIGINT  NOT NULL
);
