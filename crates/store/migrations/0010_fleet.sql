-- Fleet runs: independent tasks for worker processes. What happened is in the log, a stream for each
-- run; these rows are how it stands.

-- `owner_id` is the process that drives the run, by the same proof of life as for leases. Every change
-- of a run or its tasks builds on the `version` it has seen.
CREATE TABLE fleet_run (
    id TEXT PRIMARY KEY,
    room_id TEXT NOT NULL,
    principal_id TEXT NOT NULL,
    owner_id TEXT,
    version BIGINT NOT NULL,
    record TEXT NOT NULL
);
CREATE INDEX fleet_run_driven ON fleet_run (id) WHERE owner_id IS NOT NULL;

-- `attempt` counts how often a worker was given the task: what is said about an earlier one counts for
-- nothing.
CREATE TABLE fleet_task (
    run_id TEXT NOT NULL,
    place BIGINT NOT NULL,
    task_id TEXT NOT NULL,
    status TEXT NOT NULL,
    attempt BIGINT NOT NULL,
    record TEXT NOT NULL,
    PRIMARY KEY (run_id, place)
);
CREATE UNIQUE INDEX fleet_task_by_id ON fleet_task (run_id, task_id);

CREATE TABLE fleet_worker (
    run_id TEXT NOT NULL,
    place BIGINT NOT NULL,
    worker_id TEXT NOT NULL UNIQUE,
    record TEXT NOT NULL,
    PRIMARY KEY (run_id, place)
);
