//! What a person or program hands to a turn.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{AttachmentId, MediaKind};

/// One part of the input of a turn.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum InputPart {
    /// Plain text.
    Text {
        /// The text.
        text: String,
    },
    /// A picture that was attached to the thread.
    Image {
        /// Which one.
        id: AttachmentId,
    },
    /// A sound that was attached to the thread.
    Audio {
        /// Which one.
        id: AttachmentId,
    },
}

impl InputPart {
    /// A part that is plain text.
    pub fn text(text: &str) -> Self {
        InputPart::Text {
            text: text.to_owned(),
        }
    }

    /// A part that is an attachment.
    pub fn attached(kind: MediaKind, id: AttachmentId) -> Self {
        match kind {
            MediaKind::Image => InputPart::Image { id },
            MediaKind::Audio => InputPart::Audio { id },
        }
    }

    /// The attachment that a part is.
    pub fn attachment(&self) -> Option<(MediaKind, &AttachmentId)> {
        match self {
            InputPart::Text { .. } => None,
            InputPart::Image { id } => Some((MediaKind::Image, id)),
            InputPart::Audio { id } => Some((MediaKind::Audio, id)),
        }
    }

    /// The parts as one text, the form that models and summaries read. Attachments are numbered
    /// where they stand; a model that can take them is given them behind the text, in this order.
    pub fn text_of(parts: &[InputPart]) -> String {
        let mut counts = [0; 2];
        let mut numbered = |kind: MediaKind| {
            let count = &mut counts[kind as usize];
            *count += 1;
            format!("[{} {count}]", kind.as_str())
        };
        let texts: Vec<String> = parts
            .iter()
            .map(|part| match part {
                InputPart::Text { text } => text.clone(),
                InputPart::Image { .. } => numbered(MediaKind::Image),
                InputPart::Audio { .. } => numbered(MediaKind::Audio),
            })
            .collect();
        texts.join("\n\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attachments_have_their_place_and_number_in_the_text() {
        let attached = |kind| InputPart::attached(kind, AttachmentId::from("att_1"));
        let parts = [
            InputPart::text("Compare"),
            attached(MediaKind::Image),
            InputPart::text("with"),
            attached(MediaKind::Image),
            attached(MediaKind::Audio),
        ];
        assert_eq!(
            InputPart::text_of(&parts),
            "Compare\n\n[image 1]\n\nwith\n\n[image 2]\n\n[audio 1]"
        );
    }
}
