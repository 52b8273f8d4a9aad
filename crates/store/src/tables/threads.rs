//! Threads.

use codewhale_protocol::runtime::{
    RoomId, ThreadId, ThreadRecord, ThreadSummary, Timestamp, TurnStatus,
};
use codewhale_protocol::{Redactor, Sealed};

use crate::db::{Connection, Error, Row, Value};
use crate::tables::turns;

/// The words a list shows for a thread besides its own record.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct ThreadWords {
    /// The summary of the latest prompt.
    pub latest_input: Option<String>,
    /// The newest message of either side.
    pub latest_message: Option<String>,
}

#[derive(Debug)]
pub(crate) struct ThreadRow {
    id: ThreadId,
    room_id: RoomId,
    kind: &'static str,
    audience: &'static str,
    parent_id: Option<ThreadId>,
    root_id: Option<ThreadId>,
    archived: bool,
    hidden: bool,
    workspace: Sealed,
    updated_at: Timestamp,
    latest_turn_id: Option<String>,
    latest_input: Option<Sealed>,
    latest_message: Option<Sealed>,
    search: Sealed,
    record: Sealed,
}

impl ThreadRow {
    pub(crate) fn new(redactor: &Redactor, thread: &ThreadRecord, words: &ThreadWords) -> Self {
        let (title, preview) = ThreadSummary::words(
            thread.title.as_deref(),
            words.latest_input.as_deref(),
            words.latest_message.as_deref(),
        );
        let search = format!("{}\n{title}\n{preview}\n{}", thread.id, thread.model).to_lowercase();
        let seal = |text: &Option<String>| text.as_deref().map(|text| redactor.seal(text));
        Self {
            id: thread.id.clone(),
            room_id: thread.workroom_id.clone(),
            kind: thread.kind.as_str(),
            audience: thread.audience.as_str(),
            parent_id: thread.parent_id.clone(),
            root_id: thread.root_id.clone(),
            archived: thread.archived,
            hidden: thread.deleted_at.is_some(),
            workspace: redactor.seal(&thread.workspace),
            updated_at: thread.updated_at,
            latest_turn_id: thread.latest_turn_id.as_ref().map(ToString::to_string),
            latest_input: seal(&words.latest_input),
            latest_message: seal(&words.latest_message),
            search: redactor.seal(&search),
            record: redactor.seal_json(thread),
        }
    }
}

const PUT: &str = "INSERT INTO thread (id, room_id, kind, audience, parent_id, archived,
        updated_at, latest_turn_id, latest_input, latest_message, search, record, root_id, hidden,
        workspace)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)
    ON CONFLICT (id) DO UPDATE SET room_id = excluded.room_id, kind = excluded.kind,
        audience = excluded.audience, parent_id = excluded.parent_id,
        archived = excluded.archived, updated_at = excluded.updated_at,
        latest_turn_id = excluded.latest_turn_id, latest_input = excluded.latest_input,
        latest_message = excluded.latest_message, search = excluded.search,
        record = excluded.record, root_id = excluded.root_id, hidden = excluded.hidden,
        workspace = excluded.workspace";

pub(crate) fn put(connection: &Connection, row: &ThreadRow) -> Result<(), Error> {
    let args = [
        row.id.as_str().into(),
        row.room_id.as_str().into(),
        row.kind.into(),
        row.audience.into(),
        row.parent_id.as_ref().map(ThreadId::as_str).into(),
        row.archived.into(),
        row.updated_at.into(),
        row.latest_turn_id.as_deref().into(),
        row.latest_input.as_ref().map(Sealed::as_str).into(),
        row.latest_message.as_ref().map(Sealed::as_str).into(),
        (&row.search).into(),
        (&row.record).into(),
        row.root_id.as_ref().map(ThreadId::as_str).into(),
        row.hidden.into(),
        (&row.workspace).into(),
    ];
    connection.execute(PUT, &args).map(drop)
}

/// A thread as the store keeps it.
#[derive(Clone, PartialEq, Debug)]
pub struct StoredThread {
    /// The record.
    pub record: ThreadRecord,
    /// The words lists show for it.
    pub words: ThreadWords,
}

const GET: &str = "SELECT record, latest_input, latest_message FROM thread WHERE id = ?1";

pub(crate) fn get(connection: &Connection, id: &ThreadId) -> Result<Option<StoredThread>, Error> {
    connection.query_one(GET, &[id.as_str().into()], |row| {
        Ok(StoredThread {
            record: row.record(0)?,
            words: words(row, 1)?,
        })
    })
}

fn words(row: &Row<'_, '_>, column: usize) -> Result<ThreadWords, Error> {
    Ok(ThreadWords {
        latest_input: row.optional_text(column)?.map(str::to_owned),
        latest_message: row.optional_text(column + 1)?.map(str::to_owned),
    })
}

/// Which threads a list shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shown {
    /// Those in use.
    Active,
    /// Those put away.
    Archived,
    /// Both.
    All,
}

/// A question for a list of threads.
#[derive(Clone, Debug)]
pub struct ThreadQuery<'a> {
    /// Who asks: only rooms this principal is a member of are shown.
    pub principal: &'a str,
    /// Which threads.
    pub shown: Shown,
    /// How many at most.
    pub limit: u64,
    /// Text that must occur in id, title, preview or model.
    pub search: Option<&'a str>,
}

/// One line of a list.
#[derive(Clone, PartialEq, Debug)]
pub struct ListedThread {
    /// The record.
    pub record: ThreadRecord,
    /// The words lists show for it.
    pub words: ThreadWords,
    /// Where the latest turn stands.
    pub latest_turn_status: Option<TurnStatus>,
}

// The walk goes down the index by update; the member row is looked up for each line, so the limit
// bounds the work whatever the store holds.
const LIST: &str = "SELECT thread.record, thread.latest_input, thread.latest_message, turn.status
    FROM thread
    JOIN room_member ON room_member.principal_id = ?1 AND room_member.room_id = thread.room_id
    LEFT JOIN turn ON turn.id = thread.latest_turn_id
    WHERE thread.archived = ?2 AND thread.hidden = 0 AND thread.parent_id IS NULL
    ORDER BY thread.updated_at DESC, thread.id DESC LIMIT ?3";

const SEARCH: &str = "SELECT thread.record, thread.latest_input, thread.latest_message, turn.status
    FROM thread
    JOIN room_member ON room_member.principal_id = ?1 AND room_member.room_id = thread.room_id
    LEFT JOIN turn ON turn.id = thread.latest_turn_id
    WHERE thread.archived = ?2 AND thread.hidden = 0 AND thread.parent_id IS NULL
        AND thread.search LIKE ?4 ESCAPE '\\'
    ORDER BY thread.updated_at DESC, thread.id DESC LIMIT ?3";

/// The newest threads first.
pub(crate) fn list(
    connection: &Connection,
    query: &ThreadQuery<'_>,
) -> Result<Vec<ListedThread>, Error> {
    let one = |archived: bool| {
        let mut args: Vec<Value<'_>> =
            vec![query.principal.into(), archived.into(), query.limit.into()];
        let pattern = query.search.map(like_pattern);
        let sql = match &pattern {
            Some(pattern) => {
                args.push(pattern.as_str().into());
                SEARCH
            }
            None => LIST,
        };
        connection.query(sql, &args, listed)
    };
    Ok(match query.shown {
        Shown::Active => one(false)?,
        Shown::Archived => one(true)?,
        Shown::All => merged(one(false)?, one(true)?, query.limit),
    })
}

/// A line of a list.
pub(super) fn listed(row: &Row<'_, '_>) -> Result<ListedThread, Error> {
    Ok(ListedThread {
        record: row.record(0)?,
        words: words(row, 1)?,
        latest_turn_status: row.optional_text(3)?.and_then(turns::parse_status),
    })
}

pub(super) fn merged(
    mut a: Vec<ListedThread>,
    b: Vec<ListedThread>,
    limit: u64,
) -> Vec<ListedThread> {
    a.extend(b);
    let key = |line: &ListedThread| (line.record.updated_at, line.record.id.clone());
    a.sort_by_key(|line| std::cmp::Reverse(key(line)));
    a.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    a
}

pub(super) fn like_pattern(search: &str) -> String {
    let mut pattern = String::from("%");
    for character in search.to_lowercase().chars() {
        if matches!(character, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    pattern.push('%');
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn search_text_is_taken_literally() {
        assert_eq!(like_pattern("50%_Done\\"), "%50\\%\\_done\\\\%");
    }
}
