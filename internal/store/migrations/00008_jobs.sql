-- +goose Up

-- What was asked to be done on the work bench, one row for each approval. Those that are
-- over stay for a month, so that their end is never told again.
CREATE TABLE jobs (
    approval text   PRIMARY KEY,
    person   text   NOT NULL,
    title    text   NOT NULL,
    issue    text   NOT NULL,
    name     text   NOT NULL,
    state    text   NOT NULL,
    since    bigint NOT NULL, -- microseconds since 1970, UTC, as next_at
    next_at  bigint NOT NULL,
    tries    bigint NOT NULL,
    version  bigint NOT NULL
);
CREATE INDEX jobs_next ON jobs (next_at) WHERE state <> 'over';
