-- Sessions: threads as recordings. What their lists show is counted by indexes, not kept twice.

-- A thread that was deleted: no door shows it, and its log stays whole.
ALTER TABLE thread ADD COLUMN hidden BIGINT NOT NULL DEFAULT 0;
ALTER TABLE thread ADD COLUMN workspace TEXT NOT NULL DEFAULT '';
UPDATE thread SET workspace = COALESCE(json_extract(record, '$.workspace'), '');
CREATE INDEX thread_hidden ON thread (id) WHERE hidden = 1;

-- What people and agents said, as against calls and thoughts.
ALTER TABLE item ADD COLUMN is_message BIGINT NOT NULL DEFAULT 0;
UPDATE item SET is_message = 1
    WHERE json_extract(record, '$.kind') IN ('user_message', 'agent_message');
CREATE INDEX item_messages ON item (thread_id) WHERE is_message = 1;

ALTER TABLE turn ADD COLUMN worked_ms BIGINT NOT NULL DEFAULT 0;
UPDATE turn SET worked_ms = COALESCE(json_extract(record, '$.duration_ms'), 0);

CREATE INDEX usage_by_thread ON usage_row (thread_id);
