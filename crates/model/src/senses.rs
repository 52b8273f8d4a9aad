//! What a model takes besides text, as far as its name tells.
//!
//! Providers do not say it in a common way. A name that says nothing leaves it open: then pictures
//! are sent, and a provider that refuses them is asked again without.

use codewhale_protocol::runtime::{MediaKind, MediaType};

use crate::catalogue::Dialect;

/// Whether a model can take something.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub enum Sense {
    /// It can.
    Yes,
    /// Nobody has said.
    #[default]
    Unknown,
    /// It cannot.
    No,
}

/// What a model takes besides text.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Senses {
    /// Pictures.
    pub sees: Sense,
    /// Sounds.
    pub hears: Sense,
}

impl Senses {
    /// Takes nothing but text.
    pub const NONE: Senses = Senses {
        sees: Sense::No,
        hears: Sense::No,
    };

    /// The senses of a model, by its name, over the way it is spoken to.
    pub fn of(model: &str, dialect: Dialect) -> Self {
        let name = model.to_ascii_lowercase();
        let is_any = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
        let sees = if is_any(SEEING) {
            Sense::Yes
        } else if is_any(BLIND) {
            Sense::No
        } else {
            Sense::Unknown
        };
        // The other dialects have no words for sounds.
        let hears = match dialect == Dialect::Chat && is_any(HEARING) {
            true => Sense::Yes,
            false => Sense::No,
        };
        Self { sees, hears }
    }

    /// The same for what the user has said of a model: these and nothing else.
    pub fn declared(kinds: &[MediaKind], dialect: Dialect) -> Self {
        let has = |kind| match kinds.contains(&kind) {
            true => Sense::Yes,
            false => Sense::No,
        };
        let hears = match dialect {
            Dialect::Chat => has(MediaKind::Audio),
            Dialect::Messages | Dialect::Responses => Sense::No,
        };
        Self {
            sees: has(MediaKind::Image),
            hears,
        }
    }

    /// Whether a kind can be taken.
    pub fn of_kind(self, kind: MediaKind) -> Sense {
        match kind {
            MediaKind::Image => self.sees,
            MediaKind::Audio => self.hears,
        }
    }

    /// The kinds that can be taken, as far as is known.
    pub fn kinds(self) -> Vec<MediaKind> {
        let kinds = [MediaKind::Image, MediaKind::Audio];
        let may_be = |kind: &MediaKind| self.of_kind(*kind) != Sense::No;
        kinds.into_iter().filter(may_be).collect()
    }

    pub(crate) fn may_take(self, form: MediaType) -> bool {
        self.of_kind(form.kind()) != Sense::No
    }
}

/// Parts of the names of models that see.
const SEEING: &[&str] = &[
    "vision",
    "-vl",
    "vl-",
    "llava",
    "pixtral",
    "omni",
    "multimodal",
    "gpt-4o",
    "gpt-4.1",
    "gpt-4-turbo",
    "gpt-4.5",
    "gpt-5",
    "chatgpt-4o",
    "o3-pro",
    "o4-mini",
    "claude-",
    "gemini",
    "gemma-3",
    "gemma3",
    "gemma-4",
    "gemma4",
    "llama-4",
    "llama4",
    "kimi-k2.5",
    "kimi-k3",
    "glm-4.5v",
    "glm-4.6v",
    "glm-5v",
    "moondream",
    "minicpm-v",
    "internvl",
    "mistral-small-3",
    "mistral-medium-3",
    "magistral-small-2509",
    "grok-4",
    "qwen3.5",
    "nova-pro",
    "nova-lite",
];

/// Parts of the names of models that do not.
const BLIND: &[&str] = &[
    "deepseek",
    "gpt-3.5",
    "gpt-oss",
    "codestral",
    "devstral",
    "kimi-k2",
    "qwen2.5-coder",
    "qwen3-coder",
    "starcoder",
    "codellama",
    "llama-3.1",
    "llama-3.3",
    "llama3.1",
    "llama3.3",
    "minimax-m",
    "glm-4.5",
    "glm-4.6",
    "glm-4.7",
    "phi-3",
    "phi-4-mini",
    "mixtral",
];

/// Parts of the names of models that hear.
const HEARING: &[&str] = &["audio", "omni", "voxtral", "gemini"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_tells_what_a_model_takes() {
        let cases = [
            ("gpt-5.6", Dialect::Responses, Sense::Yes, Sense::No),
            (
                "anthropic/claude-opus-5",
                Dialect::Chat,
                Sense::Yes,
                Sense::No,
            ),
            ("Qwen/Qwen2.5-VL-7B", Dialect::Chat, Sense::Yes, Sense::No),
            ("gemini-3-pro", Dialect::Chat, Sense::Yes, Sense::Yes),
            ("gemini-3-pro", Dialect::Messages, Sense::Yes, Sense::No),
            (
                "gpt-4o-audio-preview",
                Dialect::Chat,
                Sense::Yes,
                Sense::Yes,
            ),
            ("deepseek-v4-pro", Dialect::Chat, Sense::No, Sense::No),
            ("deepseek-vl-2", Dialect::Chat, Sense::Yes, Sense::No),
            ("kimi-k2.5", Dialect::Chat, Sense::Yes, Sense::No),
            ("kimi-k2-thinking", Dialect::Chat, Sense::No, Sense::No),
            ("my-own-model", Dialect::Chat, Sense::Unknown, Sense::No),
        ];
        for (model, dialect, sees, hears) in cases {
            let senses = Senses::of(model, dialect);
            assert_eq!(senses, Senses { sees, hears }, "{model}");
        }
    }

    #[test]
    fn what_the_user_says_of_a_model_goes_before_its_name() {
        let both = [MediaKind::Image, MediaKind::Audio];
        let all = Senses {
            sees: Sense::Yes,
            hears: Sense::Yes,
        };
        assert_eq!(Senses::declared(&both, Dialect::Chat), all);
        assert_eq!(Senses::declared(&both, Dialect::Messages).hears, Sense::No);
        assert_eq!(Senses::declared(&[], Dialect::Chat), Senses::NONE);
    }
}
