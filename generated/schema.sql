-- What the migrations lead to; a new database begins with it. Written by `cargo xtask gen`.
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE event (
    seq INTEGER PRIMARY KEY,
    stream BIGINT NOT NULL,
    previous_seq BIGINT NOT NULL,
    name TEXT NOT NULL,
    body TEXT NOT NULL,
    hash TEXT NOT NULL
);
CREATE UNIQUE INDEX event_chain ON event (stream, previous_seq);
CREATE TABLE stream (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    last_seq BIGINT NOT NULL,
    last_hash TEXT NOT NULL
);
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
, root_id TEXT, hidden BIGINT NOT NULL DEFAULT 0, workspace TEXT NOT NULL DEFAULT '');
CREATE INDEX thread_by_room ON thread (room_id, updated_at);
CREATE TABLE turn (
    id TEXT PRIMARY KEY,
    thread_id TEXT NOT NULL,
    ordinal BIGINT NOT NULL,
    status TEXT NOT NULL,
    record TEXT NOT NULL
, worked_ms BIGINT NOT NULL DEFAULT 0);
CREATE UNIQUE INDEX turn_by_thread ON turn (thread_id, ordinal);
CREATE UNIQUE INDEX turn_unfinished ON turn (thread_id) WHERE status IN ('queued', 'in_progress');
CREATE TABLE item (
    id TEXT PRIMARY KEY,
    thread_id TEXT NOT NULL,
    turn_id TEXT NOT NULL,
    ordinal BIGINT NOT NULL,
    status TEXT NOT NULL,
    since_seq BIGINT NOT NULL,
    record TEXT NOT NULL
, is_message BIGINT NOT NULL DEFAULT 0);
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
CREATE TABLE user_input (
    id TEXT PRIMARY KEY,
    thread_id TEXT NOT NULL,
    turn_id TEXT NOT NULL,
    status TEXT NOT NULL,
    request TEXT NOT NULL
);
CREATE INDEX user_input_pending ON user_input (thread_id) WHERE status = 'pending';
CREATE TABLE effect (
    item_id TEXT PRIMARY KEY,
    turn_id TEXT NOT NULL,
    digest TEXT NOT NULL,
    intended_at BIGINT NOT NULL,
    settled_at BIGINT
);
CREATE INDEX effect_open ON effect (turn_id) WHERE settled_at IS NULL;
CREATE TABLE workspace_trust (
    path TEXT PRIMARY KEY,
    digest TEXT NOT NULL
);
CREATE INDEX thread_by_root ON thread (root_id) WHERE root_id IS NOT NULL;
CREATE INDEX thread_listed ON thread (archived, updated_at, id) WHERE parent_id IS NULL;
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
CREATE TABLE "usage_row" (
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
    priced_by TEXT, began_at BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (turn_id, actor_id)
);
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
CREATE TABLE restoration (
    id TEXT PRIMARY KEY,
    owner_id TEXT NOT NULL,
    workspace TEXT NOT NULL,
    from_id TEXT NOT NULL,
    to_id TEXT NOT NULL,
    begun_at BIGINT NOT NULL
);
CREATE INDEX usage_by_time ON usage_row (room_id, began_at);
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
CREATE INDEX thread_hidden ON thread (id) WHERE hidden = 1;
CREATE INDEX item_messages ON item (thread_id) WHERE is_message = 1;
CREATE INDEX usage_by_thread ON usage_row (thread_id);
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
CREATE UNIQUE INDEX task_by_turn ON task (turn_id) WHERE turn_id IS NOT NULL;
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
CREATE TABLE client_call (
    id TEXT PRIMARY KEY,
    thread_id TEXT NOT NULL,
    status TEXT NOT NULL,
    request TEXT NOT NULL
);
CREATE INDEX client_call_pending ON client_call (thread_id) WHERE status = 'pending';
CREATE TABLE fleet_run (
    id TEXT PRIMARY KEY,
    room_id TEXT NOT NULL,
    principal_id TEXT NOT NULL,
    owner_id TEXT,
    version BIGINT NOT NULL,
    record TEXT NOT NULL
);
CREATE INDEX fleet_run_driven ON fleet_run (id) WHERE owner_id IS NOT NULL;
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
CREATE TABLE task_count (
    room_id TEXT NOT NULL,
    status TEXT NOT NULL,
    tasks BIGINT NOT NULL,
    PRIMARY KEY (room_id, status)
);
CREATE INDEX automation_by_update ON automation (updated_at, id);
CREATE TABLE errand (
    id TEXT PRIMARY KEY,
    to_id TEXT NOT NULL,
    from_id TEXT NOT NULL,
    request TEXT NOT NULL,
    answer TEXT
);
CREATE INDEX errand_open ON errand (to_id, id) WHERE answer IS NULL;
CREATE INDEX lease_held ON lease (owner_id) WHERE owner_id IS NOT NULL;
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
