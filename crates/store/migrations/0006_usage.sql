-- Sums of what turns used, and requests that may be sent again.

-- What each agent used counts for the day its turn began, in UTC.
ALTER TABLE usage_row ADD COLUMN began_at BIGINT NOT NULL DEFAULT 0;
UPDATE usage_row SET began_at = ended_at;
DROP INDEX usage_by_time;
CREATE INDEX usage_by_time ON usage_row (room_id, began_at);

-- The same, added up by day, thread, provider and model. A projection of `usage_row`, written with
-- it: whole days are read from here, the rest of a day from there. `day` counts from the epoch.
CREATE TABLE usage_day (
    room_id TEXT NOT NULL,
    day BIGINT NOT NULL,
    thread_id TEXT NOT NULL,
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    records BIGINT NOT NULL,
    priced_records BIGINT NOT NULL,
    input_tokens BIGINT NOT NULL,
    output_tokens BIGINT NOT NULL,
    cached_tokens BIGINT NOT NULL,
    cache_write_tokens BIGINT NOT NULL,
    reasoning_tokens BIGINT NOT NULL,
    cost_microusd BIGINT NOT NULL,
    PRIMARY KEY (room_id, day, thread_id, provider, model)
);
INSERT INTO usage_day
    SELECT room_id, began_at / 86400000, thread_id, provider, model, COUNT(*), COUNT(priced_by),
        SUM(input_tokens), SUM(output_tokens), SUM(cached_tokens), SUM(cache_write_tokens),
        SUM(reasoning_tokens), SUM(cost_microusd)
    FROM usage_row
    GROUP BY room_id, began_at / 86400000, thread_id, provider, model;

-- Requests that named themselves by a key, written with what they did: who sends one again gets the
-- same answer. `digest` tells whether it asks for the same.
CREATE TABLE request (
    principal_id TEXT NOT NULL,
    operation TEXT NOT NULL,
    key TEXT NOT NULL,
    digest TEXT NOT NULL,
    answer TEXT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (principal_id, operation, key)
);
CREATE INDEX request_by_age ON request (principal_id, at);
