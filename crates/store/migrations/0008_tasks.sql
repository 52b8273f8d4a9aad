-- Background tasks: a queue that all processes of a home share.

-- `place` is the order in which they came. `owner_id` is the process that runs it, by the same proof
-- of life as for leases. Every change builds on the `lifecycle_seq` it has seen.
CREATE TABLE task (
    id TEXT PRIMARY KEY,
    place BIGINT NOT NULL UNIQUE,
    room_id TEXT NOT NULL,
    principal_id TEXT NOT NULL,
    status TEXT NOT NULL,
    workspace TEXT NOT NULL,
    owner_id TEXT,
    thread_id TEXT,
    turn_id TEXT,
    lifecycle_seq BIGINT NOT NULL,
    record TEXT NOT NULL
);
CREATE INDEX task_queued ON task (place) WHERE status = 'queued';
CREATE INDEX task_running ON task (place) WHERE status = 'running';
CREATE INDEX task_by_workspace ON task (workspace, place);
CREATE INDEX task_by_status ON task (room_id, status);
CREATE UNIQUE INDEX task_by_turn ON task (turn_id) WHERE turn_id IS NOT NULL;
