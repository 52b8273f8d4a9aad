-- Calls of tools that a client runs, while they wait for it. `request` is the payload of the event
-- that told of the call.
CREATE TABLE client_call (
    id TEXT PRIMARY KEY,
    thread_id TEXT NOT NULL,
    status TEXT NOT NULL,
    request TEXT NOT NULL
);
CREATE INDEX client_call_pending ON client_call (thread_id) WHERE status = 'pending';
