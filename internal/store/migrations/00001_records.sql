-- +goose Up

-- One request each. body is its JSON form; the other columns are for finding it.
-- Whoever asks what is kept about them, and the hourly sweep, wait for a scan; each
-- request would pay for an index.
CREATE TABLE records (
    id     text   PRIMARY KEY,
    at     bigint NOT NULL, -- microseconds since 1970, UTC
    asker  text   NOT NULL,
    person text   NOT NULL,
    body   text   NOT NULL
);

-- Whom a record concerns besides its asker and its person: most concern nobody else.
CREATE TABLE record_others (
    record_id text NOT NULL REFERENCES records (id) ON DELETE CASCADE,
    person    text NOT NULL,
    PRIMARY KEY (record_id, person)
);
CREATE INDEX record_others_person ON record_others (person);

-- How many; they stay when records go, and name nobody.
CREATE TABLE record_counts (
    day    text   NOT NULL,
    way_in text   NOT NULL,
    status text   NOT NULL,
    n      bigint NOT NULL,
    PRIMARY KEY (day, way_in, status)
);
