//! The providers that are known by name: data, one row each. A row says where a provider is, which
//! variables hold its key, and how it differs from the plain dialect.
//!
//! A table in Rust rather than a file: it needs no parsing at start and cannot be malformed.

pub mod prices;
mod rows;

use codewhale_protocol::runtime::Effort;

pub use crate::effort::Thinking;
use crate::responses;
pub use rows::PROVIDERS;

/// A provider everyone knows.
#[derive(PartialEq, Eq, Debug)]
pub struct Provider {
    /// Its id in the configuration.
    pub id: &'static str,
    /// Other spellings of the id.
    pub aliases: &'static [&'static str],
    /// Its name for people.
    pub name: &'static str,
    /// The environment variables that may hold its key; the first that is set wins.
    pub env: &'static [&'static str],
    /// How the variables for its address and model begin: `OPENAI` of `OPENAI_BASE_URL`.
    pub prefix: &'static str,
    /// Where it is, unless configured otherwise.
    pub base_url: &'static str,
    /// Where it speaks the Messages dialect, if that is another place.
    pub messages_base: Option<&'static str>,
    /// The model to use when none is asked for.
    pub default_model: &'static str,
    /// How it is spoken to, unless configured otherwise.
    pub dialect: Dialect,
    /// How models whose names begin so are spoken to, where they differ.
    pub by_model: &'static [(&'static str, Dialect)],
    /// Whether it wants reasoning back with messages that called tools.
    pub echo_reasoning: bool,
    /// In which words it is told how hard to think.
    pub thinking: Thinking,
    /// Whether it hands out encrypted reasoning when asked, in the Responses dialect.
    pub seals_reasoning: bool,
    /// Whether it works without a key.
    pub key_optional: bool,
    /// The length of an answer to ask for, where the provider's own default is too short.
    pub output_tokens_max: Option<u32>,
    /// Context windows, where they are known.
    pub windows: &'static [Window],
}

/// How many tokens a model takes at once.
#[derive(PartialEq, Eq, Debug)]
pub struct Window {
    /// The model, in the provider's spelling.
    pub model: &'static str,
    /// Its context window.
    pub tokens: u64,
}

/// A language of requests and answers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Dialect {
    /// Chat completions.
    Chat,
    /// Anthropic's Messages.
    Messages,
    /// OpenAI's Responses.
    Responses,
}

impl Dialect {
    /// The dialect that a word of the configuration means.
    pub fn read(word: &str) -> Option<Self> {
        match word.trim().to_ascii_lowercase().as_str() {
            "openai" | "chat" | "chat-completions" => Some(Self::Chat),
            "anthropic" | "messages" => Some(Self::Messages),
            "responses" | "openai-responses" => Some(Self::Responses),
            _ => None,
        }
    }
}

/// The id under which providers that are not in the table are shown.
pub const CUSTOM: &str = "custom";

/// The kinds by which the configuration asks for a provider that is not in the table.
pub const CUSTOM_KINDS: &[&str] = &["openai-compatible", CUSTOM];

/// The row with this id or alias, in any case of letters.
pub fn find(id: &str) -> Option<&'static Provider> {
    let is_it = |name: &str| name.eq_ignore_ascii_case(id);
    PROVIDERS
        .iter()
        .find(|row| is_it(row.id) || row.aliases.iter().any(|alias| is_it(alias)))
}

impl Provider {
    /// How a model is spoken to.
    pub fn dialect_of(&self, model: &str) -> Dialect {
        let own = self
            .by_model
            .iter()
            .find(|(start, _)| model.starts_with(start));
        own.map_or(self.dialect, |(_, dialect)| *dialect)
    }

    /// The efforts that a model tells apart, the least first and `auto` last; none where it is not
    /// asked.
    pub fn efforts(&self, model: &str, dialect: Dialect) -> &'static [Effort] {
        match dialect == Dialect::Responses && !responses::thinks(model) {
            true => &[],
            false => self.thinking.efforts(dialect),
        }
    }

    /// Where a dialect is spoken.
    pub fn base_of(&self, dialect: Dialect) -> &'static str {
        match (dialect, self.messages_base) {
            (Dialect::Messages, Some(base)) => base,
            (Dialect::Messages | Dialect::Chat | Dialect::Responses, _) => self.base_url,
        }
    }

    /// How many tokens a model takes at once, where it is known.
    pub fn window(&self, model: &str) -> Option<u64> {
        self.windows
            .iter()
            .find(|window| window.model.eq_ignore_ascii_case(model))
            .map(|window| window.tokens)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endpoint::Endpoint;

    #[test]
    fn every_row_is_complete() {
        for row in PROVIDERS {
            assert!(
                !row.id.is_empty() && !row.name.is_empty() && !row.default_model.is_empty(),
                "{row:?}"
            );
            assert!(row.key_optional || !row.env.is_empty(), "{row:?}");
            for dialect in [Dialect::Chat, Dialect::Messages, Dialect::Responses] {
                let endpoint = Endpoint::new(row.base_of(dialect), dialect).unwrap();
                assert!(!endpoint.is_plain_remote(), "{row:?}");
            }
        }
    }

    #[test]
    fn ids_are_unique_and_found_in_any_case() {
        for row in PROVIDERS {
            for name in row.aliases.iter().chain([&row.id]) {
                assert_eq!(find(&name.to_uppercase()), Some(row));
            }
        }
        assert_eq!(PROVIDERS.len(), 41);
        assert_eq!(find("deepseek-cn").map(|row| row.id), Some("deepseek"));
        assert_eq!(find("offline"), None);
        assert_eq!(find(""), None);
    }

    #[test]
    fn windows_are_known_by_model() {
        let deepseek = find("deepseek").unwrap();
        assert_eq!(deepseek.window("DeepSeek-V4-Pro"), Some(1_000_000));
        assert_eq!(deepseek.window("other"), None);
    }

    #[test]
    fn a_word_of_the_configuration_names_a_dialect() {
        assert_eq!(Dialect::read(" OpenAI "), Some(Dialect::Chat));
        assert_eq!(Dialect::read("anthropic"), Some(Dialect::Messages));
        assert_eq!(Dialect::read("responses"), Some(Dialect::Responses));
        assert_eq!(Dialect::read("gopher"), None);
    }

    #[test]
    fn a_dialect_may_depend_on_the_model_and_live_elsewhere() {
        let zen = find("zen").unwrap();
        assert_eq!(zen.dialect_of("claude-opus-5"), Dialect::Messages);
        assert_eq!(zen.dialect_of("gpt-5.6"), Dialect::Responses);
        assert_eq!(zen.dialect_of("deepseek-v4-pro"), Dialect::Chat);
        let minimax = find("minimax").unwrap();
        assert_eq!(
            minimax.base_of(Dialect::Messages),
            "https://api.minimax.io/anthropic"
        );
        assert_eq!(minimax.base_of(Dialect::Chat), minimax.base_url);
        assert_eq!(find("nim").unwrap().prefix, "NVIDIA_NIM");
    }
}
