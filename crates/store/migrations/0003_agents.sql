-- Agents below agents, and goals.

-- The thread at the top of the tree, for threads that an agent started. Lists show the top alone.
ALTER TABLE thread ADD COLUMN root_id TEXT;
CREATE INDEX thread_by_root ON thread (root_id) WHERE root_id IS NOT NULL;
DROP INDEX thread_by_update;
CREATE INDEX thread_listed ON thread (archived, updated_at, id) WHERE parent_id IS NULL;

-- The receipt of a sub-agent. `tokens` adds up over its turns.
CREATE TABLE agent_run (
    thread_id TEXT PRIMARY KEY,
    room_id TEXT NOT NULL,
    root_id TEXT NOT NULL,
    parent_id TEXT NOT NULL,
    workspace TEXT NOT NULL,
    is_live BIGINT NOT NULL,
    tokens BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    record TEXT NOT NULL
);
CREATE INDEX agent_run_by_update ON agent_run (updated_at, thread_id);
CREATE INDEX agent_run_by_root ON agent_run (root_id, is_live);
CREATE INDEX agent_run_by_parent ON agent_run (parent_id);
CREATE INDEX agent_run_by_workspace ON agent_run (workspace, updated_at);
CREATE INDEX agent_run_live ON agent_run (thread_id) WHERE is_live = 1;

-- What a thread works towards. Tokens and time add up over its turns and those of its sub-agents.
CREATE TABLE goal (
    thread_id TEXT PRIMARY KEY,
    goal_id TEXT NOT NULL,
    objective TEXT NOT NULL,
    status TEXT NOT NULL,
    token_budget BIGINT,
    tokens_used BIGINT NOT NULL,
    time_used_ms BIGINT NOT NULL,
    continuations BIGINT NOT NULL,
    created_by TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
