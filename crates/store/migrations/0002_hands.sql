-- Hands: questions of the agent, and the ledger of outside effects.

-- Questions that wait for a person. The answers are nowhere.
CREATE TABLE user_input (
    id TEXT PRIMARY KEY,
    thread_id TEXT NOT NULL,
    turn_id TEXT NOT NULL,
    status TEXT NOT NULL,
    request TEXT NOT NULL
);
CREATE INDEX user_input_pending ON user_input (thread_id) WHERE status = 'pending';

-- Calls that reach outside. A row is there, on the disk, before the call begins; `settled_at` is
-- written with the end of its item. A call without it after a crash may or may not have happened.
CREATE TABLE effect (
    item_id TEXT PRIMARY KEY,
    turn_id TEXT NOT NULL,
    digest TEXT NOT NULL,
    intended_at BIGINT NOT NULL,
    settled_at BIGINT
);
CREATE INDEX effect_open ON effect (turn_id) WHERE settled_at IS NULL;

-- What the user has said yes to: a workspace with exactly these files in it.
CREATE TABLE workspace_trust (
    path TEXT PRIMARY KEY,
    digest TEXT NOT NULL
);
