-- +goose Up

-- One row, which every write transaction changes first: whoever has changed it writes
-- alone, and whoever finds the number that they left knows that nobody wrote in between.
CREATE TABLE chat_state (
    id      smallint PRIMARY KEY,
    version bigint   NOT NULL
);
INSERT INTO chat_state (id, version) VALUES (1, 0);

-- One thread each. A row stays when its messages go: its last keeps cursors rising.
-- Epochs are milliseconds since 1970, UTC; other times are nanoseconds.
CREATE TABLE chat_threads (
    thread   text     PRIMARY KEY,
    version  bigint   NOT NULL, -- the state's version when its messages last changed
    last     bigint   NOT NULL, -- the newest epoch that ever was
    newest   bigint   NOT NULL, -- that of the newest message kept; 0 where none is
    oldest   bigint   NOT NULL, -- and of the oldest
    kept     bigint   NOT NULL, -- how many are kept
    awaiting smallint NOT NULL, -- 1 where the newest is not by Hermes
    handled  bigint   NOT NULL, -- up to here nothing waits
    waits    bigint   NOT NULL, -- the oldest message that waits; 0 where none does
    posts    bytea    NOT NULL, -- when its posts from the web came in, 8 bytes each
    person   text     NOT NULL,
    answers  text     NOT NULL,
    hinted   smallint NOT NULL,
    reply_to text     NOT NULL,
    holder   text     NOT NULL, -- who holds the turn
    until    bigint   NOT NULL, -- and until when, or when it can be taken again
    tries    bigint   NOT NULL
);
CREATE INDEX chat_threads_waiting ON chat_threads (waits) WHERE waits > 0;

-- What idempotency keys gave. Only a sweep looks for old ones, and can wait for a scan.
CREATE TABLE chat_keys (
    thread text   NOT NULL,
    mark   text   NOT NULL,
    id     text   NOT NULL,
    epoch  bigint NOT NULL,
    author text   NOT NULL,
    at     bigint NOT NULL,
    PRIMARY KEY (thread, mark)
);

-- When posts from each address came in; no longer than their window.
CREATE TABLE chat_addresses (
    address text   PRIMARY KEY,
    newest  bigint NOT NULL,
    posts   bytea  NOT NULL
);

CREATE TABLE chat_codes (
    digits  text   PRIMARY KEY,
    thread  text   NOT NULL UNIQUE,
    address text   NOT NULL,
    expires bigint NOT NULL
);
