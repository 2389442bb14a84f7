-- The queue of fills: from when on a queued one may be claimed, and whether somebody asked for it, so that it is tried
-- again when it fails.

ALTER TABLE fills ADD COLUMN next_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE fills ADD COLUMN wanted INTEGER NOT NULL DEFAULT 0;

CREATE INDEX fills_due ON fills (next_at, id) WHERE state = 'queued';
CREATE INDEX fills_by_objid ON fills (objid, id);
CREATE INDEX fills_by_state_objid ON fills (state, objid, id);
