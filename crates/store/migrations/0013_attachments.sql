-- Pictures and sounds that belong to threads. What they hold is kept once, under an id that follows
-- from it, in base64: that is how every door and every model wants it.
CREATE TABLE attachment (
    thread_id TEXT NOT NULL,
    id TEXT NOT NULL,
    media_type TEXT NOT NULL,
    bytes BIGINT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (thread_id, id)
);
CREATE TABLE attachment_content (
    id TEXT PRIMARY KEY,
    data TEXT NOT NULL
);
