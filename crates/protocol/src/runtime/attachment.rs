//! Attachments: pictures and sounds that belong to a thread, for its turns to show to a model.
//!
//! The id says what the bytes are, so the same bytes are kept once however often they are sent.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{AttachmentId, ThreadId, Timestamp};

/// What an attachment is for people.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum MediaKind {
    /// Something to see.
    Image,
    /// Something to hear.
    Audio,
}

impl MediaKind {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            MediaKind::Image => "image",
            MediaKind::Audio => "audio",
        }
    }
}

/// The forms that models take.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize, JsonSchema,
)]
pub enum MediaType {
    /// A PNG picture.
    #[serde(rename = "image/png")]
    Png,
    /// A JPEG picture.
    #[serde(rename = "image/jpeg")]
    Jpeg,
    /// A GIF picture.
    #[serde(rename = "image/gif")]
    Gif,
    /// A WebP picture.
    #[serde(rename = "image/webp")]
    Webp,
    /// A WAVE sound.
    #[serde(rename = "audio/wav")]
    Wav,
    /// An MP3 sound.
    #[serde(rename = "audio/mpeg")]
    Mp3,
}

impl MediaType {
    /// All of them.
    pub const ALL: [MediaType; 6] = [
        MediaType::Png,
        MediaType::Jpeg,
        MediaType::Gif,
        MediaType::Webp,
        MediaType::Wav,
        MediaType::Mp3,
    ];

    /// What bytes are, by how they begin. What a sender calls them does not count.
    pub fn of(bytes: &[u8]) -> Option<MediaType> {
        let riff = |form: &[u8]| bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(form);
        match bytes {
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some(MediaType::Png),
            [0xff, 0xd8, 0xff, ..] => Some(MediaType::Jpeg),
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some(MediaType::Gif),
            [b'I', b'D', b'3', ..] => Some(MediaType::Mp3),
            // A frame of MPEG 1 or 2, layer 3.
            [0xff, 0xfa | 0xfb | 0xf2 | 0xf3, ..] => Some(MediaType::Mp3),
            _ if riff(b"WEBP") => Some(MediaType::Webp),
            _ if riff(b"WAVE") => Some(MediaType::Wav),
            _ => None,
        }
    }

    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            MediaType::Png => "image/png",
            MediaType::Jpeg => "image/jpeg",
            MediaType::Gif => "image/gif",
            MediaType::Webp => "image/webp",
            MediaType::Wav => "audio/wav",
            MediaType::Mp3 => "audio/mpeg",
        }
    }

    /// The form with this name.
    pub fn parse(name: &str) -> Option<MediaType> {
        Self::ALL.into_iter().find(|it| it.as_str() == name)
    }

    /// What it is for people.
    pub fn kind(self) -> MediaKind {
        match self {
            MediaType::Png | MediaType::Jpeg | MediaType::Gif | MediaType::Webp => MediaKind::Image,
            MediaType::Wav | MediaType::Mp3 => MediaKind::Audio,
        }
    }
}

/// One picture or sound, in bytes: what the strictest of the large providers takes.
pub const ATTACHMENT_BYTES_MAX: usize = 5 * 1024 * 1024;

/// A picture or sound with its content.
#[derive(Clone, PartialEq, Eq)]
pub struct Attached {
    /// Its id, which follows from its content.
    pub id: AttachmentId,
    /// What it is.
    pub media_type: MediaType,
    /// How many bytes it has.
    pub bytes: u64,
    /// Its content in base64, without anything between.
    pub data: String,
}

/// Why something cannot be attached.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unattachable {
    /// It is not written as it should be.
    #[error("data must be base64")]
    NotBase64,
    /// It is too large for models.
    #[error("an attachment has at most {} MiB; make it smaller", ATTACHMENT_BYTES_MAX / (1024 * 1024))]
    TooLarge,
    /// It is nothing that models take.
    #[error("this is none of {}, which models take", MediaType::ALL.map(MediaType::as_str).join(", "))]
    Unknown,
}

impl Attached {
    /// These bytes.
    pub fn of(bytes: &[u8]) -> Result<Self, Unattachable> {
        if bytes.len() > ATTACHMENT_BYTES_MAX {
            return Err(Unattachable::TooLarge);
        }
        let media_type = MediaType::of(bytes).ok_or(Unattachable::Unknown)?;
        let digest = Sha256::digest(bytes);
        let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Self {
            id: AttachmentId::from(&*format!("{}{hex}", AttachmentId::PREFIX)),
            media_type,
            bytes: bytes.len() as u64,
            data: BASE64_STANDARD.encode(bytes),
        })
    }

    /// Bytes in base64. Some programs break its long lines.
    pub fn read(base64: &str) -> Result<Self, Unattachable> {
        let joined: String = base64.split_ascii_whitespace().collect();
        let bytes = BASE64_STANDARD.decode(joined);
        Self::of(&bytes.map_err(|_| Unattachable::NotBase64)?)
    }
}

impl std::fmt::Debug for Attached {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.media_type.as_str(), self.id)
    }
}

/// A picture or sound that belongs to a thread.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AttachmentRecord {
    /// Its id, which follows from its content.
    pub id: AttachmentId,
    /// The thread.
    pub thread_id: ThreadId,
    /// What it is.
    pub media_type: MediaType,
    /// How many bytes it has.
    pub bytes: u64,
    /// When it was first attached to the thread.
    pub created_at: Timestamp,
}

impl AttachmentRecord {
    /// What is attached to a thread now.
    pub fn new(thread: &ThreadId, attached: &Attached, at: Timestamp) -> Self {
        Self {
            id: attached.id.clone(),
            thread_id: thread.clone(),
            media_type: attached.media_type,
            bytes: attached.bytes,
            created_at: at,
        }
    }
}

/// What `attachments/add` takes.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AttachmentsAddParams {
    /// The thread.
    pub thread_id: ThreadId,
    /// The content in base64: a PNG, JPEG, GIF or WebP picture, or a WAVE or MP3 sound, of at most
    /// 5 MiB. What it is shows in its first bytes.
    pub data: String,
}

impl std::fmt::Debug for AttachmentsAddParams {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AttachmentsAddParams")
            .field("thread_id", &self.thread_id)
            .field("data_bytes", &self.data.len())
            .finish()
    }
}

/// What `attachments/get` takes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AttachmentParams {
    /// The thread.
    pub thread_id: ThreadId,
    /// The attachment.
    pub attachment_id: AttachmentId,
}

/// An attachment with its content.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AttachmentContent {
    /// The attachment.
    #[serde(flatten)]
    pub attachment: AttachmentRecord,
    /// Its content in base64.
    pub data: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_known_by_how_they_begin() {
        let cases: [(&[u8], Option<MediaType>); 9] = [
            (b"\x89PNG\r\n\x1a\n rest", Some(MediaType::Png)),
            (b"\xff\xd8\xff\xe0", Some(MediaType::Jpeg)),
            (b"GIF89a", Some(MediaType::Gif)),
            (b"RIFF\x00\x00\x00\x00WEBPVP8 ", Some(MediaType::Webp)),
            (b"RIFF\x00\x00\x00\x00WAVEfmt ", Some(MediaType::Wav)),
            (b"ID3\x04", Some(MediaType::Mp3)),
            (b"\xff\xfb\x90", Some(MediaType::Mp3)),
            (b"<svg>", None),
            (b"", None),
        ];
        for (bytes, expect) in cases {
            assert_eq!(MediaType::of(bytes), expect, "{bytes:?}");
        }
    }

    #[test]
    fn the_same_bytes_are_the_same_attachment_however_they_are_written() {
        let attached = Attached::read("iVBORw0K\r\nGgoAAAAA").unwrap();
        assert_eq!(attached.data, "iVBORw0KGgoAAAAA");
        assert_eq!((attached.media_type, attached.bytes), (MediaType::Png, 12));
        assert!(attached.id.as_str().starts_with("att_1b56b50ac4e976f4"));
        assert_eq!(Attached::read("iVBORw0KGgoAAAAA"), Ok(attached));
        assert_eq!(Attached::read("%"), Err(Unattachable::NotBase64));
        assert_eq!(Attached::read(""), Err(Unattachable::Unknown));
        let large = vec![0; ATTACHMENT_BYTES_MAX + 1];
        assert_eq!(Attached::of(&large), Err(Unattachable::TooLarge));
    }

    #[test]
    fn a_form_has_one_name_everywhere() {
        for form in MediaType::ALL {
            assert_eq!(MediaType::parse(form.as_str()), Some(form));
            let written = serde_json::to_value(form).unwrap();
            assert_eq!(written, form.as_str());
            assert!(form.as_str().starts_with(form.kind().as_str()));
        }
    }
}
