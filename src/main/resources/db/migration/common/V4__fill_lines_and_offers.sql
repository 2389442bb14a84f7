-- Two lines in the queue of fills: files that were asked for one by one, and those of whole datasets (bulk = 1). And what each
-- instance would take from it now: an instance leaves to others what only they have room for.

ALTER TABLE fills ADD COLUMN bulk INTEGER NOT NULL DEFAULT 0;

CREATE INDEX fills_by_line ON fills (bulk, next_at, id, size) WHERE state = 'queued';

CREATE TABLE fill_offers (
    instance ${text} NOT NULL PRIMARY KEY,
    largest  BIGINT  NOT NULL, -- the most bytes of a file that it has room for
    expires  BIGINT  NOT NULL
);
CREATE INDEX fill_offers_by_size ON fill_offers (largest);
