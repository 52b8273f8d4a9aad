//! Pictures and sounds of threads.

use codewhale_protocol::runtime::{AttachmentContent, AttachmentId, AttachmentRecord, ThreadId};

use super::Reader;
use crate::Error;
use crate::tables::attachments;

impl Reader<'_> {
    /// An attachment of a thread.
    pub fn attachment(
        &self,
        thread: &ThreadId,
        id: &AttachmentId,
    ) -> Result<Option<AttachmentRecord>, Error> {
        Ok(attachments::get(self.connection, thread, id)?)
    }

    /// The same with its content.
    pub fn attachment_content(
        &self,
        thread: &ThreadId,
        id: &AttachmentId,
    ) -> Result<Option<AttachmentContent>, Error> {
        let Some(attachment) = self.attachment(thread, id)? else {
            return Ok(None);
        };
        let data = attachments::data(self.connection, id)?;
        Ok(data.map(|data| AttachmentContent { attachment, data }))
    }

    /// How many bytes are attached to a thread.
    pub fn attached_bytes(&self, thread: &ThreadId) -> Result<u64, Error> {
        Ok(attachments::bytes(self.connection, thread)?)
    }
}
