-- +goose Up

-- The messages, for PostgreSQL. They are what they are in SQLite, whose words for this are its own.
CREATE TABLE chat_messages (
    thread text     NOT NULL,
    epoch  bigint   NOT NULL,
    id     text     NOT NULL,
    author text     NOT NULL,
    asks   smallint NOT NULL, -- 1 where it waits for an answer, or did
    body   text     NOT NULL,
    PRIMARY KEY (thread, epoch)
);
