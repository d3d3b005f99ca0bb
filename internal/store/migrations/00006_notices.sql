-- +goose Up

-- One notice each. Times are microseconds since 1970, UTC; 0 is none.
CREATE TABLE notices (
    id      text     PRIMARY KEY,
    at      bigint   NOT NULL,
    project text     NOT NULL,
    person  text     NOT NULL,
    message text     NOT NULL,
    level   smallint NOT NULL, -- 0 info, 1 important, 2 urgent
    asked   smallint NOT NULL
);
CREATE INDEX notices_project ON notices (project, at);
CREATE INDEX notices_at ON notices (at);

-- The newest notice of each project, person and message: who changes this row first is the
-- one notice that others within the minute are one with. The mark is a SHA-256.
CREATE TABLE notice_marks (
    mark   text   PRIMARY KEY,
    at     bigint NOT NULL,
    notice text   NOT NULL
);

-- When a person was last told that a project is held back. The row with no person is what
-- the project's senders take their turns by.
CREATE TABLE notice_senders (
    project text   NOT NULL,
    person  text   NOT NULL,
    told    bigint NOT NULL,
    PRIMARY KEY (project, person)
);

-- One notice on its way to one target each.
CREATE TABLE notice_deliveries (
    notice    text   NOT NULL REFERENCES notices (id) ON DELETE CASCADE,
    target    text   NOT NULL,
    name      text   NOT NULL,
    state     text   NOT NULL, -- waiting, delivered, dead or skipped
    tries     bigint NOT NULL,
    due       bigint NOT NULL,
    first_due bigint NOT NULL,
    done      bigint NOT NULL,
    reason    text   NOT NULL,
    holder    text   NOT NULL, -- who sends it
    until     bigint NOT NULL, -- and until when nobody else may
    PRIMARY KEY (notice, target)
);
CREATE INDEX notice_deliveries_target ON notice_deliveries (target, due) WHERE state = 'waiting';
CREATE INDEX notice_deliveries_due ON notice_deliveries (due) WHERE state = 'waiting';
CREATE INDEX notice_deliveries_dead ON notice_deliveries (notice) WHERE state = 'dead';

-- The browsers that take web pushes.
CREATE TABLE push_subscriptions (
    endpoint text   PRIMARY KEY,
    p256dh   text   NOT NULL,
    auth     text   NOT NULL,
    person   text   NOT NULL,
    added    bigint NOT NULL
);
