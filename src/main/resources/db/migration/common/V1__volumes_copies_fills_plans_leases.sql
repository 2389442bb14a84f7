-- Times are milliseconds since 1970 by the database's clock. ${identity} and ${text} differ from one database to another:
-- a key that is never given twice, and text that is compared by its bytes.

CREATE TABLE volumes (
    id          ${identity},
    name        ${text} NOT NULL,
    owner       ${text} NOT NULL, -- empty: shared
    kind        ${text} NOT NULL,
    location    ${text} NOT NULL,
    marker      ${text},
    capacity    BIGINT  NOT NULL,
    configured  ${text} NOT NULL, -- the status that the configuration said last
    status      ${text} NOT NULL,
    priority    INTEGER NOT NULL,
    used        BIGINT  NOT NULL DEFAULT 0,
    reserved    BIGINT  NOT NULL DEFAULT 0,
    copies      BIGINT  NOT NULL DEFAULT 0,
    recounts    BIGINT  NOT NULL DEFAULT 0,
    plan_wanted BIGINT  NOT NULL DEFAULT 0,
    UNIQUE (owner, name)
);

CREATE TABLE copies (
    id               ${identity},
    volume_id        BIGINT  NOT NULL REFERENCES volumes (id),
    objid            ${text} NOT NULL,
    name             ${text} NOT NULL,
    size             BIGINT  NOT NULL,
    sha256           ${text},
    etag             ${text},
    content_type     ${text},
    modified_seconds BIGINT,
    modified_nanos   INTEGER,
    state            ${text} NOT NULL,
    condemned_by     ${text},
    since            BIGINT  NOT NULL,
    filled_at        BIGINT  NOT NULL,
    verified_at      BIGINT  NOT NULL,
    priority         INTEGER NOT NULL DEFAULT 0,
    UNIQUE (volume_id, name)
);
CREATE UNIQUE INDEX copies_cached ON copies (objid, volume_id) WHERE state = 'cached';
CREATE INDEX copies_by_objid ON copies (objid, id);
CREATE INDEX copies_sizes ON copies (volume_id, size); -- so that adding up a volume reads no copy's row
CREATE INDEX copies_leaving ON copies (volume_id, id) WHERE state IN ('condemned', 'deleting');

CREATE TABLE copy_use (
    copy_id   BIGINT NOT NULL PRIMARY KEY REFERENCES copies (id) ON DELETE CASCADE,
    volume_id BIGINT NOT NULL,
    last_use  BIGINT NOT NULL,
    uses      BIGINT NOT NULL
);
CREATE INDEX copy_use_by_time ON copy_use (volume_id, last_use, copy_id);

CREATE TABLE fills (
    id        ${identity},
    objid     ${text} NOT NULL,
    volume_id BIGINT REFERENCES volumes (id),
    name      ${text},
    state     ${text} NOT NULL,
    size      BIGINT  NOT NULL,
    bytes     BIGINT  NOT NULL DEFAULT 0,
    attempts  INTEGER NOT NULL,
    instance  ${text} NOT NULL, -- who asked for it while it is queued, then who has it or had it last
    boot      ${text} NOT NULL,
    epoch     BIGINT  NOT NULL,
    expires   BIGINT,
    created   BIGINT  NOT NULL,
    ended     BIGINT,
    reason    ${text}
);
CREATE UNIQUE INDEX fills_active ON fills (objid) WHERE state IN ('queued', 'running');
CREATE INDEX fills_running ON fills (volume_id, name) WHERE state = 'running';
CREATE INDEX fills_by_owner ON fills (instance, boot) WHERE state = 'running';
CREATE INDEX fills_by_expiry ON fills (expires) WHERE state = 'running';
CREATE INDEX fills_by_state ON fills (state, id);
CREATE INDEX fills_ended ON fills (ended) WHERE ended IS NOT NULL;
CREATE INDEX fills_leftover ON fills (volume_id, id) WHERE state = 'failed' AND name IS NOT NULL;

CREATE TABLE plans (
    id               ${identity},
    volume_id        BIGINT  NOT NULL REFERENCES volumes (id),
    strategy         ${text} NOT NULL,
    free             BIGINT  NOT NULL,
    state            ${text} NOT NULL,
    created          BIGINT  NOT NULL,
    expires          BIGINT  NOT NULL,
    ended            BIGINT,
    copies           BIGINT  NOT NULL DEFAULT 0,
    bytes            BIGINT  NOT NULL DEFAULT 0,
    condemned_copies BIGINT  NOT NULL DEFAULT 0,
    condemned_bytes  BIGINT  NOT NULL DEFAULT 0,
    freed_copies     BIGINT  NOT NULL DEFAULT 0,
    freed_bytes      BIGINT  NOT NULL DEFAULT 0,
    skipped_copies   BIGINT  NOT NULL DEFAULT 0,
    skipped_bytes    BIGINT  NOT NULL DEFAULT 0,
    failed_copies    BIGINT  NOT NULL DEFAULT 0,
    failed_bytes     BIGINT  NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX plans_running ON plans (volume_id) WHERE state = 'running';
CREATE INDEX plans_ended ON plans (ended) WHERE ended IS NOT NULL;
CREATE INDEX plans_waiting ON plans (expires) WHERE state IN ('making', 'proposed');

CREATE TABLE plan_items (
    plan_id  BIGINT  NOT NULL REFERENCES plans (id),
    position BIGINT  NOT NULL,
    copy_id  BIGINT  NOT NULL,
    objid    ${text} NOT NULL,
    size     BIGINT  NOT NULL,
    state    ${text} NOT NULL,
    reason   ${text},
    PRIMARY KEY (plan_id, position)
);
CREATE INDEX plan_items_pending ON plan_items (plan_id, position) WHERE state = 'pending';
CREATE INDEX plan_items_of_copy ON plan_items (copy_id) WHERE state IN ('condemned', 'failed');

CREATE TABLE leases (
    name     ${text} NOT NULL PRIMARY KEY,
    instance ${text} NOT NULL,
    boot     ${text} NOT NULL,
    epoch    BIGINT  NOT NULL,
    expires  BIGINT  NOT NULL
);
CREATE INDEX leases_by_owner ON leases (instance, boot);
