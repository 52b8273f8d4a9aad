-- The spine: one log, and the rows that answer queries about it.
-- Law of the schema: BIGINT and TEXT only; booleans are 0 and 1; moments are milliseconds since the
-- epoch; `record` columns hold the JSON of the wire, already redacted.

-- The log. `previous_seq` names the event before it in the same stream; the unique key over it is
-- both the order readers follow and the proof that no second writer slipped in.
CREATE TABLE event (
    seq BIGINT PRIMARY KEY,
    stream BIGINT NOT NULL,
    previous_seq BIGINT NOT NULL,
    name TEXT NOT NULL,
    body TEXT NOT NULL,
    hash TEXT NOT NULL
);
CREATE UNIQUE INDEX event_chain ON event (stream, previous_seq);

-- What the log is made of: threads, rooms, the store itself.
CREATE TABLE stream (
    id BIGINT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    last_seq BIGINT NOT NULL,
    last_hash TEXT NOT NULL
);

-- Who acts. An event names the actor by id or shows its public part; token and device stay here.
CREATE TABLE actor (
    id TEXT PRIMARY KEY,
    record TEXT NOT NULL
);

CREATE TABLE principal (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    is_operator BIGINT NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE TABLE room (
    id TEXT PRIMARY KEY,
    title TEXT NOT NULL,
    owner_id TEXT NOT NULL,
    acl_version BIGINT NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    archived_at BIGINT
);

CREATE TABLE room_member (
    room_id TEXT NOT NULL,
    principal_id TEXT NOT NULL,
    role TEXT NOT NULL,
    added_by TEXT NOT NULL,
    added_at BIGINT NOT NULL,
    PRIMARY KEY (principal_id, room_id)
);

-- The room that new threads of a workspace go to.
CREATE TABLE room_workspace (
    path TEXT PRIMARY KEY,
    room_id TEXT NOT NULL
);

CREATE TABLE thread (
    id TEXT PRIMARY KEY,
    room_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    audience TEXT NOT NULL,
    parent_id TEXT,
    archived BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    latest_turn_id TEXT,
    latest_input TEXT,
    latest_message TEXT,
    search TEXT NOT NULL,
    record TEXT NOT NULL
);
CREATE INDEX thread_by_update ON thread (archived, updated_at, id);
CREATE INDEX thread_by_room ON thread (room_id, updated_at);

CREATE TABLE turn (
    id TEXT PRIMARY KEY,
    thread_id TEXT NOT NULL,
    ordinal BIGINT NOT NULL,
    status TEXT NOT NULL,
    record TEXT NOT NULL
);
CREATE UNIQUE INDEX turn_by_thread ON turn (thread_id, ordinal);
-- At most one turn of a thread is unfinished; recovery finds them all here, and only them.
CREATE UNIQUE INDEX turn_unfinished ON turn (thread_id) WHERE status IN ('queued', 'in_progress');

-- Items sort by turn, then by their start. The text of a running item is in its deltas, which
-- begin behind `since_seq`.
CREATE TABLE item (
    id TEXT PRIMARY KEY,
    thread_id TEXT NOT NULL,
    turn_id TEXT NOT NULL,
    ordinal BIGINT NOT NULL,
    status TEXT NOT NULL,
    since_seq BIGINT NOT NULL,
    record TEXT NOT NULL
);
CREATE UNIQUE INDEX item_by_thread ON item (thread_id, ordinal);

CREATE TABLE approval (
    id TEXT PRIMARY KEY,
    thread_id TEXT NOT NULL,
    turn_id TEXT NOT NULL,
    status TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    decided_seq BIGINT,
    record TEXT NOT NULL
);
CREATE INDEX approval_pending ON approval (thread_id) WHERE status = 'pending';

-- Which process runs the turn of a thread, and the how-manieth taking this is. The process proves
-- that it lives by a file lock.
CREATE TABLE lease (
    thread_id TEXT PRIMARY KEY,
    owner_id TEXT,
    epoch BIGINT NOT NULL
);

CREATE TABLE owner (
    id TEXT PRIMARY KEY,
    pid BIGINT NOT NULL,
    started_at BIGINT NOT NULL
);

-- What each finished turn used, for sums without a scan of history.
CREATE TABLE usage_row (
    turn_id TEXT PRIMARY KEY,
    thread_id TEXT NOT NULL,
    room_id TEXT NOT NULL,
    actor_id TEXT NOT NULL,
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    ended_at BIGINT NOT NULL,
    input_tokens BIGINT NOT NULL,
    output_tokens BIGINT NOT NULL,
    cached_tokens BIGINT NOT NULL,
    reasoning_tokens BIGINT NOT NULL
);
CREATE INDEX usage_by_time ON usage_row (ended_at);

-- The state of a piece of work as counters that add up, so that a child never reads its parent's
-- row. A projection: it can be dropped and folded from the log again.
CREATE TABLE work_subject (
    subject_id TEXT PRIMARY KEY,
    room_id TEXT NOT NULL,
    parent_id TEXT,
    n_active BIGINT NOT NULL,
    n_waiting BIGINT NOT NULL,
    n_failed BIGINT NOT NULL,
    completed BIGINT NOT NULL,
    last_seq BIGINT NOT NULL
);
CREATE INDEX work_subject_by_room ON work_subject (room_id, last_seq);
