//! Attachments: pictures and sounds that are given to a thread first, and named by a turn then.
//!
//! They are kept apart from the log: it tells which ones were shown, and stays small. A model is
//! given them with each request of a turn, as far as it can take them.

use std::sync::Arc;

use codewhale_model::limits::MEDIA_BYTES_MAX;
use codewhale_model::{Media, Medium, Message, Route, Sense, attached};
use codewhale_protocol::Caller;
use codewhale_protocol::operations::{AttachmentsAdd, AttachmentsGet};
use codewhale_protocol::runtime::{
    Attached, AttachmentContent, AttachmentId, AttachmentParams, AttachmentRecord,
    AttachmentsAddParams, InputPart, MediaKind, ThreadId,
};
use codewhale_store::{Durability, Reader};

use crate::once::Once;
use crate::runtime::Core;
use crate::serve::Handler;
use crate::{Error, limits};

impl Handler<AttachmentsAdd> for Arc<Core> {
    async fn handle(
        &self,
        _: &Caller,
        params: AttachmentsAddParams,
    ) -> Result<AttachmentRecord, Error> {
        self.attach(params, None).await
    }

    async fn handle_once(
        &self,
        _: &Caller,
        params: AttachmentsAddParams,
        once: Once,
    ) -> Result<AttachmentRecord, Error> {
        self.attach(params, Some(once)).await
    }
}

impl Handler<AttachmentsGet> for Arc<Core> {
    async fn handle(
        &self,
        _: &Caller,
        params: AttachmentParams,
    ) -> Result<AttachmentContent, Error> {
        let read = move |reader: &Reader<'_>| {
            reader.attachment_content(&params.thread_id, &params.attachment_id)
        };
        self.store.read_apart(read).await?.ok_or(UNKNOWN)
    }
}

const UNKNOWN: Error = Error::NotFound { what: "attachment" };

impl Core {
    async fn attach(
        &self,
        params: AttachmentsAddParams,
        once: Option<Once>,
    ) -> Result<AttachmentRecord, Error> {
        let AttachmentsAddParams { thread_id, data } = params;
        let read = self.store.apart(move || Attached::read(&data)).await?;
        let read = read.map_err(|problem| Error::Invalid(problem.to_string()))?;
        let known = self
            .store
            .read(|reader| reader.attachment(&thread_id, &read.id))?;
        if known.is_none() && !self.has_room(&thread_id, read.bytes) {
            let most = limits::ATTACHED_BYTES_MAX / (1024 * 1024);
            return Err(Error::Invalid(format!(
                "a thread holds {most} MiB of attachments, and this one is full; start another"
            )));
        }
        let now = self.env.now();
        let record = known.unwrap_or_else(|| AttachmentRecord::new(&thread_id, &read, now));
        let mut batch = self.store.batch(Durability::Synced);
        batch.attach(record.clone(), read.data);
        if let Some(once) = once {
            once.settle(self, &mut batch, &record);
        }
        self.store.commit(batch).await?;
        Ok(record)
    }

    /// Whether so many bytes more can be attached to a thread.
    pub(crate) fn has_room(&self, thread: &ThreadId, bytes: u64) -> bool {
        let attached = self.store.read(|reader| reader.attached_bytes(thread));
        attached.is_ok_and(|attached| attached + bytes <= limits::ATTACHED_BYTES_MAX)
    }

    /// Refuses parts of a prompt that are not there, or that the model could not take.
    pub(crate) fn check_parts(
        &self,
        thread: &ThreadId,
        parts: &[InputPart],
        route: &Route,
    ) -> Result<(), Error> {
        let attached: Vec<_> = parts.iter().filter_map(InputPart::attachment).collect();
        if attached.len() > limits::PROMPT_ATTACHMENTS_MAX {
            let most = limits::PROMPT_ATTACHMENTS_MAX;
            return Err(Error::Invalid(format!(
                "a prompt takes at most {most} attachments; give the others in another one"
            )));
        }
        for (kind, id) in attached {
            check_sense(route, kind)?;
            let record = self.store.read(|reader| reader.attachment(thread, id))?;
            let is_kind = |record: &AttachmentRecord| record.media_type.kind() == kind;
            if !record.as_ref().is_some_and(is_kind) {
                return Err(Error::Invalid(format!(
                    "the thread has no {} {id}; attach it first",
                    kind.as_str()
                )));
            }
        }
        Ok(())
    }

    /// What is attached to a conversation: the newest of it, as far as a request has room.
    pub(crate) async fn media_of(
        &self,
        thread: &ThreadId,
        conversation: &[Message],
    ) -> Result<Media, codewhale_store::Error> {
        let mut newest_first: Vec<AttachmentId> = Vec::new();
        for id in attached(conversation) {
            if !newest_first.contains(id) {
                newest_first.push(id.clone());
            }
        }
        if newest_first.is_empty() {
            return Ok(Media::default());
        }
        let thread = thread.clone();
        let read = move |reader: &Reader<'_>| {
            let (mut media, mut room) = (Vec::new(), MEDIA_BYTES_MAX);
            for id in newest_first {
                let Some(found) = reader.attachment_content(&thread, &id)? else {
                    continue;
                };
                let Some(left) = room.checked_sub(found.data.len()) else {
                    break;
                };
                room = left;
                let form = found.attachment.media_type;
                let data = found.data;
                media.push((id, Medium { form, data }));
            }
            Ok(media.into_iter().collect())
        };
        self.store.read_apart(read).await
    }
}

/// Refuses what the model is known not to take.
fn check_sense(route: &Route, kind: MediaKind) -> Result<(), Error> {
    let can = match kind {
        MediaKind::Image => "see images",
        MediaKind::Audio => "hear audio",
    };
    match route.senses.of_kind(kind) {
        Sense::Yes | Sense::Unknown => Ok(()),
        Sense::No => Err(Error::Invalid(format!(
            "{} cannot {can}; choose a model that can, or say in words what it is about",
            route.label()
        ))),
    }
}
