//! Pictures and sounds that go with a conversation.
//!
//! Messages only name them: a conversation is kept and compared often, and its pictures are read
//! when a request is made.

use std::collections::BTreeMap;
use std::sync::Arc;

use codewhale_protocol::runtime::{AttachmentId, MediaKind, MediaType};

use crate::Senses;

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

    /// What of it a model can take: all that it is not known not to.
    pub fn within(&self, senses: Senses) -> Media {
        let taken = self.0.iter().filter(|(_, it)| senses.may_take(it.form));
        Media(taken.map(|(id, it)| (id.clone(), Arc::clone(it))).collect())
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

impl FromIterator<(AttachmentId, Medium)> for Media {
    fn from_iter<I: IntoIterator<Item = (AttachmentId, Medium)>>(all: I) -> Self {
        let all = all.into_iter().map(|(id, it)| (id, Arc::new(it)));
        Media(all.collect())
    }
}

/// A picture and a sound, and a message about them and about something that is gone.
#[cfg(test)]
pub(crate) fn sample() -> (crate::Message, Media) {
    let (picture, sound) = (AttachmentId::from("att_1"), AttachmentId::from("att_2"));
    let medium = |form, data: &str| Medium {
        form,
        data: data.to_owned(),
    };
    let media = [
        (picture.clone(), medium(MediaType::Png, "cGlj")),
        (sound.clone(), medium(MediaType::Mp3, "bXAz")),
    ];
    let message = crate::Message::User {
        text: "Hi".to_owned(),
        attachments: vec![picture, AttachmentId::from("att_gone"), sound],
    };
    (message, media.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Sense;

    #[test]
    fn a_model_is_given_what_it_is_not_known_not_to_take() {
        let (_, media) = sample();
        let shown = |sees, hears| {
            let within = media.within(Senses { sees, hears });
            let ids: Vec<_> = within.ids().map(ToString::to_string).collect();
            ids.join(" ")
        };
        assert_eq!(shown(Sense::Yes, Sense::Unknown), "att_1 att_2");
        assert_eq!(shown(Sense::No, Sense::Yes), "att_2");
        assert_eq!(shown(Sense::No, Sense::No), "");
    }
}
