//! Pictures and sounds of threads. Their content is no text, so nothing in it can be masked.

use codewhale_protocol::runtime::{AttachmentId, AttachmentRecord, MediaType, ThreadId, Timestamp};

use crate::db::{Connection, Error, Row};

/// An attachment with its content, in base64.
#[derive(Clone, Debug)]
pub(crate) struct AttachmentRow {
    pub(crate) record: AttachmentRecord,
    pub(crate) data: String,
}

const PUT: &str = "INSERT INTO attachment (thread_id, id, media_type, bytes, at)
    VALUES (?1, ?2, ?3, ?4, ?5)
    ON CONFLICT (thread_id, id) DO NOTHING";

const PUT_CONTENT: &str = "INSERT INTO attachment_content (id, data) VALUES (?1, ?2)
    ON CONFLICT (id) DO NOTHING";

pub(crate) fn put(connection: &Connection, row: &AttachmentRow) -> Result<(), Error> {
    let record = &row.record;
    let args = [
        record.thread_id.as_str().into(),
        record.id.as_str().into(),
        record.media_type.as_str().into(),
        record.bytes.into(),
        record.created_at.into(),
    ];
    connection.execute(PUT, &args)?;
    let args = [record.id.as_str().into(), row.data.as_str().into()];
    connection.execute(PUT_CONTENT, &args).map(drop)
}

const COPY: &str = "INSERT INTO attachment (thread_id, id, media_type, bytes, at)
    SELECT ?2, id, media_type, bytes, at FROM attachment WHERE thread_id = ?1";

/// Gives a copy of a thread what the thread has.
pub(crate) fn copy(connection: &Connection, from: &ThreadId, to: &ThreadId) -> Result<(), Error> {
    let args = [from.as_str().into(), to.as_str().into()];
    connection.execute(COPY, &args).map(drop)
}

const GET: &str = "SELECT media_type, bytes, at FROM attachment WHERE thread_id = ?1 AND id = ?2";

pub(crate) fn get(
    connection: &Connection,
    thread: &ThreadId,
    id: &AttachmentId,
) -> Result<Option<AttachmentRecord>, Error> {
    let read = |row: &Row<'_, '_>| {
        let media_type = MediaType::parse(row.text(0)?);
        let (bytes, created_at) = (row.unsigned(1)?, Timestamp::from_ms(row.int(2)?));
        Ok(media_type.map(|media_type| AttachmentRecord {
            id: id.clone(),
            thread_id: thread.clone(),
            media_type,
            bytes,
            created_at,
        }))
    };
    let args = [thread.as_str().into(), id.as_str().into()];
    Ok(connection.query_one(GET, &args, read)?.flatten())
}

const DATA: &str = "SELECT data FROM attachment_content WHERE id = ?1";

/// The content, in base64.
pub(crate) fn data(connection: &Connection, id: &AttachmentId) -> Result<Option<String>, Error> {
    connection.query_one(DATA, &[id.as_str().into()], |row| {
        row.text(0).map(str::to_owned)
    })
}

const BYTES: &str = "SELECT coalesce(sum(bytes), 0) FROM attachment WHERE thread_id = ?1";

/// How much a thread has.
pub(crate) fn bytes(connection: &Connection, thread: &ThreadId) -> Result<u64, Error> {
    let sum = connection.query_one(BYTES, &[thread.as_str().into()], |row| row.unsigned(0))?;
    Ok(sum.unwrap_or(0))
}
