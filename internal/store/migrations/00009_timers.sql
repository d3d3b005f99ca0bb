-- +goose Up

-- Timers and reminders. Times are microseconds since 1970, UTC; 0 is none.
CREATE TABLE timers (
    id       text     PRIMARY KEY, -- made of the request that set it
    reminder smallint NOT NULL,
    name     text     NOT NULL,
    words    text     NOT NULL,
    asker    text     NOT NULL,
    person   text     NOT NULL,
    room     text     NOT NULL,
    made     bigint   NOT NULL,
    due      bigint   NOT NULL,
    state    text     NOT NULL,
    until    bigint   NOT NULL, -- how long the one who tells it has it for itself
    tries    bigint   NOT NULL,
    ended    bigint   NOT NULL
);
CREATE INDEX timers_live ON timers (due) WHERE state IN ('waiting', 'telling');
