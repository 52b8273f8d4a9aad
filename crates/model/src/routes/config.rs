//! What routes are made of: plain values, read elsewhere.

use codewhale_protocol::Secret;
use codewhale_protocol::runtime::MediaKind;

use crate::catalogue::Dialect;
use crate::limits::Timeouts;

/// A provider as it is configured.
#[derive(Clone, Debug)]
pub struct ProviderConfig {
    /// The exact name it is configured under.
    pub id: String,
    /// Its row in the catalogue, or `openai-compatible`.
    pub kind: String,
    /// Where it is, if not where the catalogue says.
    pub base_url: Option<String>,
    /// Its key. Sent to this provider's address only.
    pub key: Option<Secret>,
    /// The model to use when none is asked for, if not the catalogue's.
    pub model: Option<String>,
    /// The context window of its models, if not the catalogue's.
    pub context_window: Option<u64>,
    /// What its models take besides text, if not what their names tell.
    pub input: Option<Vec<MediaKind>>,
    /// The length of an answer to ask for, if not the catalogue's.
    pub output_tokens_max: Option<u32>,
    /// How it is spoken to, if not as the catalogue says.
    pub wire: Option<Dialect>,
    /// Headers it wants besides the usual ones.
    pub headers: Vec<(String, Secret)>,
    /// Who may answer in its stead when it cannot, the first choice first; as for all, if it says
    /// nothing.
    pub fallbacks: Option<Vec<Fallback>>,
}

/// A declared stand-in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fallback {
    /// The provider, by id or kind.
    pub provider: String,
    /// The model, if not that provider's default.
    pub model: Option<String>,
}

impl ProviderConfig {
    /// A provider of the catalogue, or one named `openai-compatible`, with nothing else said.
    pub fn new(id: impl Into<String>, kind: impl Into<String>) -> Self {
        let (id, kind) = (id.into(), kind.into());
        Self {
            id,
            kind,
            base_url: None,
            key: None,
            model: None,
            context_window: None,
            input: None,
            output_tokens_max: None,
            wire: None,
            headers: Vec::new(),
            fallbacks: None,
        }
    }
}

/// What routes are made of.
#[derive(Clone, Default, Debug)]
pub struct RoutesConfig {
    /// All configured providers. None at all means: work offline.
    pub providers: Vec<ProviderConfig>,
    /// The one to use when none is asked for, if it was chosen; else the first.
    pub default_provider: Option<String>,
    /// The model of the default provider, where that names none itself.
    pub default_model: Option<String>,
    /// Who may answer instead of a provider that names nobody itself. Nobody unless declared.
    pub fallbacks: Vec<Fallback>,
    /// How long to wait for providers.
    pub timeouts: Timeouts,
    /// Whether keys and conversations may travel unencrypted to other machines.
    pub allow_insecure_http: bool,
}
