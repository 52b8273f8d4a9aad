-- Routes: several models may answer one turn, each with its own use and cost.

-- One row for each agent that worked on a turn: the actor names provider and model, and the agent
-- that shortens conversations is another one than that which answers. The cost stands beside the
-- tokens, so that sums need no prices; `priced_by` names the table of prices, and is missing where
-- some of the tokens have no known price.
CREATE TABLE usage_of_route (
    turn_id TEXT NOT NULL,
    actor_id TEXT NOT NULL,
    thread_id TEXT NOT NULL,
    room_id TEXT NOT NULL,
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    ended_at BIGINT NOT NULL,
    input_tokens BIGINT NOT NULL,
    output_tokens BIGINT NOT NULL,
    cached_tokens BIGINT NOT NULL,
    cache_write_tokens BIGINT NOT NULL,
    reasoning_tokens BIGINT NOT NULL,
    cost_microusd BIGINT NOT NULL,
    priced_by TEXT,
    PRIMARY KEY (turn_id, actor_id)
);
INSERT INTO usage_of_route (turn_id, actor_id, thread_id, room_id, provider, model, ended_at,
        input_tokens, output_tokens, cached_tokens, cache_write_tokens, reasoning_tokens,
        cost_microusd, priced_by)
    SELECT turn_id, actor_id, thread_id, room_id, provider, model, ended_at, input_tokens,
        output_tokens, cached_tokens, 0, reasoning_tokens, 0, NULL
    FROM usage_row;
DROP TABLE usage_row;
ALTER TABLE usage_of_route RENAME TO usage_row;
CREATE INDEX usage_by_time ON usage_row (ended_at);
