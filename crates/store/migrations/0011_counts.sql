-- Lists whose cost does not grow with what the store holds.

-- How many tasks of each status there are. A projection of `task`, written with it. The index that
-- counting used goes: it led lists away from the order of `place`.
DROP INDEX task_by_status;
CREATE TABLE task_count (
    room_id TEXT NOT NULL,
    status TEXT NOT NULL,
    tasks BIGINT NOT NULL,
    PRIMARY KEY (room_id, status)
);
INSERT INTO task_count SELECT room_id, status, COUNT(*) FROM task GROUP BY room_id, status;

CREATE INDEX automation_by_update ON automation (updated_at, id);
