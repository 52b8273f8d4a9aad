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

-- Work that begins by the clock. What is due is found by its index; every change builds on the
-- `version` it has seen.
CREATE TABLE automation (
    id TEXT PRIMARY KEY,
    room_id TEXT NOT NULL,
    principal_id TEXT NOT NULL,
    version BIGINT NOT NULL,
    next_run_at BIGINT,
    updated_at BIGINT NOT NULL,
    record TEXT NOT NULL
);
CREATE INDEX automation_due ON automation (next_run_at) WHERE next_run_at IS NOT NULL;

-- A run stands as its task does. The slot of a run that the clock began is a key: it is written
-- together with the task, before anything begins, and no slot has two.
CREATE TABLE automation_run (
    id TEXT PRIMARY KEY,
    automation_id TEXT NOT NULL,
    slot BIGINT NOT NULL,
    by_clock BIGINT NOT NULL,
    task_id TEXT,
    error TEXT,
    created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX automation_run_slot ON automation_run (automation_id, slot) WHERE by_clock = 1;
CREATE INDEX automation_run_newest ON automation_run (automation_id, created_at, id);
CREATE INDEX automation_run_task ON automation_run (task_id);
