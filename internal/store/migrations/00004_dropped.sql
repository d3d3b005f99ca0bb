-- +goose Up

-- Proposals for routing.md are read off the record; these are the ones that the household
-- does not want. A mark goes with its record.
CREATE TABLE record_dropped (
    record_id text PRIMARY KEY REFERENCES records (id) ON DELETE CASCADE
);
