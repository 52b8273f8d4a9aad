//! Attachments: pictures and sounds that are given to a thread first, and named by a turn then.
//!
//! They are kept apart from the log: it tells which ones were shown, and stays small. A model is
//! given them with each request of a turn, as far as it can take them.

use std::sync::Arc;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use codewhale_model::{Media, Medium, Message, Route, Sense};
use codewhale_protocol::Caller;
use codewhale_protocol::operations::{AttachmentsAdd, AttachmentsGet};
use codewhale_protocol::runtime::{
    AttachmentContent, AttachmentId, AttachmentParams, AttachmentRecord, AttachmentsAddParams,
    InputPart, MediaKind, MediaType, ThreadId,
};
use codewhale_store::{Durability, Reader};
use sha2::{Digest, Sha256};

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
        let read = self.store.apart(move || Given::read(&data)).await??;
        let thread = thread_id.clone();
        let known = self
            .store
            .read(|reader| reader.attachment(&thread, &read.id))?;
        let attached = self.store.read(|reader| reader.attached_bytes(&thread))?;
        if known.is_none() && attached + read.bytes > limits::ATTACHED_BYTES_MAX {
            let most = limits::ATTACHED_BYTES_MAX / (1024 * 1024);
            return Err(Error::Invalid(format!(
                "a thread holds {most} MiB of attachments, and this one is full; start another"
            )));
        }
        let record = known.unwrap_or_else(|| AttachmentRecord {
            id: read.id,
            thread_id,
            media_type: read.media_type,
            bytes: read.bytes,
            created_at: self.env.now(),
        });
        let mut batch = self.store.batch(Durability::Synced);
        batch.attach(record.clone(), read.data);
        if let Some(once) = once {
            once.settle(self, &mut batch, &record);
        }
        self.store.commit(batch).await?;
        Ok(record)
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
        let newest_first: Vec<AttachmentId> = conversation
            .iter()
            .rev()
            .flat_map(|message| match message {
                Message::User { attachments, .. } => attachments.as_slice(),
                Message::Assistant { .. } | Message::Tool { .. } => &[],
            })
            .cloned()
            .collect();
        if newest_first.is_empty() {
            return Ok(Media::default());
        }
        let thread = thread.clone();
        let read = move |reader: &Reader<'_>| {
            let (mut media, mut room) = (Vec::new(), limits::REQUEST_MEDIA_BYTES_MAX);
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

/// What was given, looked at.
struct Given {
    id: AttachmentId,
    media_type: MediaType,
    bytes: u64,
    /// In base64, the way it is written here.
    data: String,
}

impl Given {
    fn read(data: &str) -> Result<Self, Error> {
        // Some programs break long lines.
        let joined: String = data.split_ascii_whitespace().collect();
        let bytes = BASE64_STANDARD
            .decode(&joined)
            .map_err(|_| Error::Invalid("data must be base64".into()))?;
        if bytes.len() > limits::ATTACHMENT_BYTES_MAX {
            let most = limits::ATTACHMENT_BYTES_MAX / (1024 * 1024);
            return Err(Error::Invalid(format!(
                "an attachment has at most {most} MiB; make it smaller"
            )));
        }
        let media_type = MediaType::of(&bytes).ok_or_else(|| {
            let names = MediaType::ALL.map(MediaType::as_str).join(", ");
            Error::Invalid(format!("this is none of {names}, which models take"))
        })?;
        let digest = Sha256::digest(&bytes);
        let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Self {
            id: AttachmentId::from(&*format!("{}{hex}", AttachmentId::PREFIX)),
            media_type,
            bytes: bytes.len() as u64,
            data: joined,
        })
    }
}
