//! Why a wish leads nowhere.

use crate::endpoint::BaseProblem;

/// A wish that leads nowhere.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RouteError {
    /// Nobody is called that.
    #[error("there is no provider `{asked}`; known are {}", .known.join(", "))]
    UnknownProvider {
        /// What was asked for.
        asked: String,
        /// What could have been.
        known: Vec<String>,
    },
    /// It needs a key and has none.
    #[error("provider `{provider}` has no key: {hint}")]
    MissingKey {
        /// Which provider.
        provider: String,
        /// Where a key is looked for.
        hint: String,
    },
    /// The key holds characters that cannot be sent.
    #[error("the key of provider `{provider}` contains characters that no key has; set it again")]
    UnusableKey {
        /// Which provider.
        provider: String,
    },
    /// It is not in the catalogue and has no address.
    #[error("provider `{provider}` has no address: set base_url in [providers.{provider}]")]
    MissingBase {
        /// Which provider.
        provider: String,
    },
    /// Its address cannot be used.
    #[error("the base_url of provider `{provider}` cannot be used: {problem}")]
    UnusableBase {
        /// Which provider.
        provider: String,
        /// Why.
        problem: BaseProblem,
    },
    /// Neither the wish nor the configuration names a model.
    #[error(
        "provider `{provider}` has no default model: name one, or set model in [providers.{provider}]"
    )]
    MissingModel {
        /// Which provider.
        provider: String,
    },
    /// It is configured as a kind that does not exist.
    #[error("provider `{provider}` is of the unknown kind `{kind}`; known are {}", .known.join(", "))]
    UnknownKind {
        /// Which provider.
        provider: String,
        /// What it claims to be.
        kind: String,
        /// What it could be.
        known: Vec<String>,
    },
}
