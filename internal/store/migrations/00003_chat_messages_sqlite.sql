-- +goose Up

-- The messages, for SQLite. Without a rowid, a thread's messages lie side by side in the order
-- in which they are read: a page of them costs the same however many others there are.
CREATE TABLE chat_messages (
    thread text     NOT NULL,
    epoch  bigint   NOT NULL,
    id     text     NOT NULL,
    author text     NOT NULL,
    asks   smallint NOT NULL, -- 1 where it waits for an answer, or did
    body   text     NOT NULL,
    PRIMARY KEY (thread, epoch)
) WITHOUT ROWID;
