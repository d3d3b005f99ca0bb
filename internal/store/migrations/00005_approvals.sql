-- +goose Up

-- One request for a person's yes each. Times are microseconds since 1970, UTC; 0 is none.
CREATE TABLE approvals (
    id         text     PRIMARY KEY,
    owner      text     NOT NULL, -- who carries it out
    what       text     NOT NULL,
    who        text     NOT NULL,
    why        text     NOT NULL,
    action     text     NOT NULL, -- RFC 8785
    digest     text     NOT NULL, -- of what, who, why and action
    same       text     NOT NULL, -- of who and action
    slot       smallint NOT NULL CHECK (slot BETWEEN 1 AND 3),
    state      text     NOT NULL,
    created    bigint   NOT NULL,
    expires    bigint   NOT NULL,
    deadline   bigint   NOT NULL, -- of what is approved or executing
    message    text     NOT NULL, -- this and the next are the result; decided is 0 where there is none
    decided_by text     NOT NULL,
    decided    bigint   NOT NULL,
    ended      bigint   NOT NULL
);

-- However many ask at once: equal requests are one, and one asker has three that wait.
CREATE UNIQUE INDEX approvals_same ON approvals (owner, same) WHERE state = 'pending';
CREATE UNIQUE INDEX approvals_slot ON approvals (owner, who, slot) WHERE state = 'pending';
CREATE INDEX approvals_newest ON approvals (owner, created);

-- Whose requests are refused, and until when.
CREATE TABLE approval_mutes (
    owner text   NOT NULL,
    who   text   NOT NULL,
    until bigint NOT NULL,
    PRIMARY KEY (owner, who)
);
