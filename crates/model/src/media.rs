//! Pictures and sounds that go with a conversation.
//!
//! Messages only name them: a conversation is kept and compared often, and its pictures are read
//! when a request is made.

use std::collections::BTreeMap;
use std::sync::Arc;

use codewhale_protocol::runtime::{Attached, AttachmentId, MediaKind, MediaType};

use crate::{Message, Senses, limits};

/// A picture or a sound.
#[derive(PartialEq, Eq)]
pub struct Medium {
    /// What it is.
    pub form: MediaType,
    /// Its bytes in base64, as every dialect writes them.
    pub data: String,
}

impl Medium {
    /// The address that holds all of it.
    pub(crate) fn address(&self) -> String {
        format!("data:{};base64,{}", self.form.as_str(), self.data)
    }
}

impl std::fmt::Debug for Medium {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({} bytes)", self.form.as_str(), self.data.len())
    }
}

/// What the attachments of a conversation hold. Cheap to clone.
#[derive(Clone, Default, Debug)]
pub struct Media(BTreeMap<AttachmentId, Arc<Medium>>);

impl Media {
    /// Nothing to see or hear.
    pub const NONE: &Media = &Media(BTreeMap::new());

    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whose content it is.
    pub fn ids(&self) -> impl Iterator<Item = &AttachmentId> {
        self.0.keys()
    }

    /// Adds something.
    pub fn add(&mut self, attached: Attached) {
        let medium = Medium {
            form: attached.media_type,
            data: attached.data,
        };
        self.0.insert(attached.id, Arc::new(medium));
    }

    /// What of it goes with a request: what the model is not known not to take, the newest first, as
    /// far as there is room.
    pub fn shown(&self, senses: Senses, messages: &[Message]) -> Media {
        let mut shown = Media::default();
        if self.is_empty() {
            return shown;
        }
        let mut room = limits::MEDIA_BYTES_MAX;
        for id in attached(messages) {
            let Some(medium) = self.0.get(id).filter(|it| senses.may_take(it.form)) else {
                continue;
            };
            if shown.0.contains_key(id) {
                continue;
            }
            let Some(left) = room.checked_sub(medium.data.len()) else {
                break;
            };
            room = left;
            shown.0.insert(id.clone(), Arc::clone(medium));
        }
        shown
    }

    /// Those that a message names, in its order. What is not there, its text still tells of.
    pub(crate) fn of<'a>(&'a self, ids: &'a [AttachmentId]) -> impl Iterator<Item = &'a Medium> {
        ids.iter().filter_map(|id| self.0.get(id)).map(|it| &**it)
    }

    /// The same, without what cannot be seen.
    pub(crate) fn pictures<'a>(
        &'a self,
        ids: &'a [AttachmentId],
    ) -> impl Iterator<Item = &'a Medium> {
        self.of(ids).filter(|it| it.form.kind() == MediaKind::Image)
    }
}

/// What messages name, the newest first.
pub fn attached(messages: &[Message]) -> impl Iterator<Item = &AttachmentId> {
    let newest_first = messages.iter().rev();
    newest_first.flat_map(|message| match message {
        Message::User { attachments, .. } | Message::Tool { attachments, .. } => {
            attachments.as_slice()
        }
        Message::Assistant { .. } => &[],
    })
}

impl FromIterator<(AttachmentId, Medium)> for Media {
    fn from_iter<I: IntoIterator<Item = (AttachmentId, Medium)>>(all: I) -> Self {
        let all = all.into_iter().map(|(id, it)| (id, Arc::new(it)));
        Media(all.collect())
    }
}

/// A picture and a sound, and a message about them and about something that is gone.
#[cfg(test)]
pub(crate) fn sample() -> (Message, Media) {
    let (picture, sound) = (AttachmentId::from("att_1"), AttachmentId::from("att_2"));
    let medium = |form, data: &str| Medium {
        form,
        data: data.to_owned(),
    };
    let media = [
        (picture.clone(), medium(MediaType::Png, "cGlj")),
        (sound.clone(), medium(MediaType::Mp3, "bXAz")),
    ];
    let message = Message::User {
        text: "Hi".to_owned(),
        attachments: vec![picture, AttachmentId::from("att_gone"), sound],
    };
    (message, media.into_iter().collect())
}

/// The same picture as what came of a call.
#[cfg(test)]
pub(crate) fn sample_result() -> ([Message; 4], Media) {
    let (_, media) = sample();
    let call = crate::ToolCall {
        id: "c1".to_owned(),
        name: "look".to_owned(),
        arguments: "{}".to_owned(),
    };
    let conversation = [
        Message::user("Look"),
        Message::Assistant {
            reasoning: String::new(),
            text: String::new(),
            calls: vec![call],
        },
        Message::Tool {
            call_id: "c1".to_owned(),
            output: "[image 1]".to_owned(),
            success: true,
            attachments: vec![AttachmentId::from("att_1")],
        },
        Message::user("And?"),
    ];
    (conversation, media)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Sense;

    #[test]
    fn a_model_is_given_what_it_is_not_known_not_to_take() {
        let (message, media) = sample();
        let shown = |sees, hears| {
            let shown = media.shown(Senses { sees, hears }, std::slice::from_ref(&message));
            let ids: Vec<_> = shown.ids().map(ToString::to_string).collect();
            ids.join(" ")
        };
        assert_eq!(shown(Sense::Yes, Sense::Unknown), "att_1 att_2");
        assert_eq!(shown(Sense::No, Sense::Yes), "att_2");
        assert_eq!(shown(Sense::No, Sense::No), "");
    }

    #[test]
    fn the_newest_goes_along_as_far_as_there_is_room() {
        let large = |id: &str| {
            let medium = Medium {
                form: MediaType::Png,
                data: "A".repeat(limits::MEDIA_BYTES_MAX / 2),
            };
            (AttachmentId::from(id), medium)
        };
        let media: Media = ["a", "b", "c"].map(large).into_iter().collect();
        let message = |id: &str| Message::User {
            text: String::new(),
            attachments: vec![AttachmentId::from(id)],
        };
        let messages = ["a", "b", "c", "b"].map(message);
        let shown = media.shown(Senses::default(), &messages);
        let ids: Vec<_> = shown.ids().map(AttachmentId::as_str).collect();
        assert_eq!(ids, ["b", "c"]);
    }
}
