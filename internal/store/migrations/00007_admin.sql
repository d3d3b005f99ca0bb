-- +goose Up

-- The admin app's. Times are microseconds since 1970, UTC.

CREATE TABLE admin_passkeys (
    name        text     PRIMARY KEY, -- the first digits of the id's SHA-256
    id          bytea    NOT NULL UNIQUE,
    person      text     NOT NULL,
    handle      bytea    NOT NULL,
    host        text     NOT NULL,
    label       text     NOT NULL,
    public_key  bytea    NOT NULL,
    flags       smallint NOT NULL,
    aaguid      bytea    NOT NULL,
    transports  text     NOT NULL,
    sign_count  bigint   NOT NULL,
    created     bigint   NOT NULL,
    used        bigint   NOT NULL
);

-- A session's token is in its browser only; here is its SHA-256.
CREATE TABLE admin_sessions (
    digest  text   PRIMARY KEY,
    passkey text   NOT NULL REFERENCES admin_passkeys (name) ON DELETE CASCADE,
    person  text   NOT NULL,
    label   text   NOT NULL,
    created bigint NOT NULL,
    seen    bigint NOT NULL
);

-- One live enrolment code a person. Of its secret half here is the SHA-256.
CREATE TABLE admin_codes (
    id      text     PRIMARY KEY,
    digest  text     NOT NULL,
    person  text     NOT NULL UNIQUE,
    expires bigint   NOT NULL,
    tries   smallint NOT NULL -- how many are left
);

-- What was done in the app, and by whom. n keeps the order of one instant.
CREATE TABLE admin_deeds (
    n        bigint PRIMARY KEY,
    at       bigint NOT NULL,
    person   text   NOT NULL,
    did      text   NOT NULL,
    about    text   NOT NULL,
    owner    text   NOT NULL,
    approval text   NOT NULL
);
