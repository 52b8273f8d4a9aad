-- Snapshots: which restore point of a workspace belongs to which turn, and moves of files that are
-- under way.

-- The snapshot itself is a commit in the side repository of the workspace; it may be gone by now.
-- A copy of a thread has copies of its rows.
CREATE TABLE snapshot (
    id TEXT NOT NULL,
    thread_id TEXT NOT NULL,
    turn_id TEXT,
    workspace TEXT NOT NULL,
    kind TEXT NOT NULL,
    label TEXT NOT NULL,
    at BIGINT NOT NULL,
    created_by TEXT NOT NULL,
    is_copy BIGINT NOT NULL,
    PRIMARY KEY (id, thread_id)
);
CREATE INDEX snapshot_by_thread ON snapshot (thread_id);
CREATE INDEX snapshot_by_workspace ON snapshot (workspace, at);

-- Files of a workspace that are being moved from one snapshot to another. A row is there, on the
-- disk, before the first file moves, and goes in the commit that tells what came of it. One whose
-- owner is dead means: the files go back.
CREATE TABLE restoration (
    id TEXT PRIMARY KEY,
    owner_id TEXT NOT NULL,
    workspace TEXT NOT NULL,
    from_id TEXT NOT NULL,
    to_id TEXT NOT NULL,
    begun_at BIGINT NOT NULL
);
