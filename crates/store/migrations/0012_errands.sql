-- Requests that a process leaves for the one that runs the turn they are about. A row lives for as
-- long as somebody waits for its answer.
CREATE TABLE errand (
    id TEXT PRIMARY KEY,
    to_id TEXT NOT NULL,
    from_id TEXT NOT NULL,
    request TEXT NOT NULL,
    answer TEXT
);
CREATE INDEX errand_open ON errand (to_id, id) WHERE answer IS NULL;

-- Who runs something is found without a look at every thread there ever was.
CREATE INDEX lease_held ON lease (owner_id) WHERE owner_id IS NOT NULL;
