//! The providers that are known by name: data, one row each. A row says where a provider is, which
//! variables hold its key, and how it differs from the plain dialect.
//!
//! A table in Rust rather than a file: it needs no parsing at start and cannot be malformed.

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
    /// Where it is, unless configured otherwise.
    pub base_url: &'static str,
    /// The model to use when none is asked for.
    pub default_model: &'static str,
    /// How it is spoken to.
    pub dialect: Dialect,
    /// Whether it wants reasoning back with messages that called tools.
    pub echo_reasoning: bool,
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
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dialect {
    /// Chat completions.
    Chat,
}

/// The id under which providers that are not in the table are shown.
pub const CUSTOM: &str = "custom";

/// The kinds by which the configuration asks for a provider that is not in the table.
pub const CUSTOM_KINDS: &[&str] = &["openai-compatible", CUSTOM];

/// All known providers, in the order they are shown.
pub const PROVIDERS: &[Provider] = &[
    Provider {
        id: "deepseek",
        aliases: &["deepseek-cn"],
        name: "DeepSeek",
        env: &["DEEPSEEK_API_KEY"],
        base_url: "https://api.deepseek.com/beta",
        default_model: "deepseek-v4-pro",
        echo_reasoning: true,
        output_tokens_max: Some(65_536),
        windows: &[
            Window {
                model: "deepseek-v4-pro",
                tokens: 1_000_000,
            },
            Window {
                model: "deepseek-v4-flash",
                tokens: 1_000_000,
            },
            Window {
                model: "deepseek-reasoner",
                tokens: 1_000_000,
            },
            Window {
                model: "deepseek-chat",
                tokens: 1_000_000,
            },
        ],
        ..PLAIN
    },
    Provider {
        id: "openai",
        name: "OpenAI",
        env: &["OPENAI_API_KEY"],
        base_url: "https://api.openai.com/v1",
        default_model: "gpt-5.6",
        ..PLAIN
    },
    Provider {
        id: "openrouter",
        name: "OpenRouter",
        env: &["OPENROUTER_API_KEY"],
        base_url: "https://openrouter.ai/api/v1",
        default_model: "deepseek/deepseek-v4-pro",
        windows: &[
            Window {
                model: "deepseek/deepseek-v4-pro",
                tokens: 1_000_000,
            },
            Window {
                model: "deepseek/deepseek-v4-flash",
                tokens: 1_000_000,
            },
        ],
        ..PLAIN
    },
    Provider {
        id: "ollama",
        name: "Ollama",
        env: &["OLLAMA_API_KEY"],
        base_url: "http://localhost:11434/v1",
        default_model: "deepseek-v4-flash",
        key_optional: true,
        ..PLAIN
    },
];

/// What a row does not say.
const PLAIN: Provider = Provider {
    id: "",
    aliases: &[],
    name: "",
    env: &[],
    base_url: "",
    default_model: "",
    dialect: Dialect::Chat,
    echo_reasoning: false,
    key_optional: false,
    output_tokens_max: None,
    windows: &[],
};

/// The row with this id or alias, in any case of letters.
pub fn find(id: &str) -> Option<&'static Provider> {
    let is_it = |name: &str| name.eq_ignore_ascii_case(id);
    PROVIDERS
        .iter()
        .find(|row| is_it(row.id) || row.aliases.iter().any(|alias| is_it(alias)))
}

impl Provider {
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
            let endpoint = Endpoint::chat(row.base_url).unwrap();
            assert!(!endpoint.is_plain_remote(), "{row:?}");
        }
    }

    #[test]
    fn ids_are_unique_and_found_in_any_case() {
        for row in PROVIDERS {
            assert_eq!(find(&row.id.to_uppercase()), Some(row));
        }
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
}
