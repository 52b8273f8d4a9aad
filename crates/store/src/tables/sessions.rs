//! Threads as recordings: those with something in them, and their figures.

use codewhale_protocol::runtime::ThreadId;

use super::threads::{self, ListedThread, Shown};
use crate::db::{Connection, Error, Value};

/// A question for a list of sessions.
#[derive(Clone, Debug)]
pub struct SessionQuery<'a> {
    /// Who asks: only rooms this principal is a member of are shown.
    pub principal: &'a str,
    /// Which ones.
    pub shown: Shown,
    /// How many at most.
    pub limit: u64,
    /// Text that must occur in id, title, preview, model or workspace.
    pub search: Option<&'a str>,
    /// Only those of this directory.
    pub workspace: Option<&'a str>,
}

/// What a session amounts to.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct SessionFigures {
    /// What people and agents said.
    pub messages: u64,
    /// Tokens sent and received.
    pub tokens: u64,
    /// What they cost, as far as it is known, in millionths of a dollar.
    pub cost_microusd: u64,
    /// For how many of its calls that is not known.
    pub unpriced: u64,
    /// How long its turns took.
    pub worked_ms: u64,
}

// A search and a directory that are not asked for are patterns that fit all.
const LIST: &str = "SELECT thread.record, thread.latest_input, thread.latest_message, turn.status
    FROM thread
    JOIN room_member ON room_member.principal_id = ?1 AND room_member.room_id = thread.room_id
    JOIN turn ON turn.id = thread.latest_turn_id
    WHERE thread.archived = ?2 AND thread.hidden = 0 AND thread.parent_id IS NULL
        AND (thread.search LIKE ?4 ESCAPE '\\' OR LOWER(thread.workspace) LIKE ?4 ESCAPE '\\')
        AND (?5 = '' OR thread.workspace = ?5)
    ORDER BY thread.updated_at DESC, thread.id DESC LIMIT ?3";

/// The last changed first.
pub(crate) fn list(
    connection: &Connection,
    query: &SessionQuery<'_>,
) -> Result<Vec<ListedThread>, Error> {
    let pattern = threads::like_pattern(query.search.unwrap_or_default());
    let one = |archived: bool| {
        let args: [Value<'_>; 5] = [
            query.principal.into(),
            archived.into(),
            query.limit.into(),
            pattern.as_str().into(),
            query.workspace.unwrap_or_default().into(),
        ];
        connection.query(LIST, &args, threads::listed)
    };
    Ok(match query.shown {
        Shown::Active => one(false)?,
        Shown::Archived => one(true)?,
        Shown::All => threads::merged(one(false)?, one(true)?, query.limit),
    })
}

const FIGURES: &str = "SELECT
    (SELECT COUNT(*) FROM item WHERE thread_id = ?1 AND is_message = 1),
    (SELECT COALESCE(SUM(input_tokens + output_tokens), 0) FROM usage_row WHERE thread_id = ?1),
    (SELECT COALESCE(SUM(cost_microusd), 0) FROM usage_row WHERE thread_id = ?1),
    (SELECT COUNT(*) FROM usage_row WHERE thread_id = ?1 AND priced_by IS NULL),
    (SELECT COALESCE(SUM(worked_ms), 0) FROM turn WHERE thread_id = ?1)";

/// The figures of one.
pub(crate) fn figures(connection: &Connection, id: &ThreadId) -> Result<SessionFigures, Error> {
    let found = connection.query_one(FIGURES, &[id.as_str().into()], |row| {
        Ok(SessionFigures {
            messages: row.unsigned(0)?,
            tokens: row.unsigned(1)?,
            cost_microusd: row.unsigned(2)?,
            unpriced: row.unsigned(3)?,
            worked_ms: row.unsigned(4)?,
        })
    })?;
    Ok(found.unwrap_or_default())
}

const HIDDEN: &str = "SELECT id FROM thread WHERE hidden = 1 ORDER BY id";

/// Threads that were deleted.
pub(crate) fn hidden(connection: &Connection) -> Result<Vec<ThreadId>, Error> {
    connection.query(HIDDEN, &[], |row| Ok(ThreadId::from(row.text(0)?)))
}
