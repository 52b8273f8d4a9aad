//! The keys of `deny.toml` that we understand. Any other is an error, as is a value that would
//! make cargo-deny laxer than we are.

use serde::Deserialize;

use super::packages::Shipped;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Rules {
    pub(super) graph: Graph,
    licenses: Licences,
    pub(super) bans: Bans,
    sources: Sources,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Graph {
    pub(super) targets: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Licences {
    allow: Vec<String>,
    exceptions: Vec<Exception>,
    #[serde(rename = "unused-allowed-license")]
    _unused: Allow,
    #[serde(rename = "private")]
    _private: Private,
}

/// A licence that one crate may have.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Exception {
    #[serde(rename = "crate")]
    package: String,
    allow: Vec<String>,
}

/// The crates of this workspace are not looked at.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Private {
    #[serde(rename = "ignore")]
    _ignore: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Bans {
    #[serde(rename = "multiple-versions")]
    _multiple_versions: Deny,
    pub(super) skip: Vec<Skip>,
}

/// A version that may stand beside another one.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Skip {
    /// `name@version`, exactly.
    #[serde(rename = "crate")]
    pub(super) package: String,
    pub(super) reason: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Sources {
    #[serde(rename = "unknown-registry")]
    _unknown_registry: Deny,
    #[serde(rename = "unknown-git")]
    _unknown_git: Deny,
    allow_registry: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Deny {
    Deny,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Allow {
    Allow,
}

impl Rules {
    pub(super) fn allows_licence(&self, package: &str, term: &str) -> bool {
        let exceptions = self.licenses.exceptions.iter();
        let excepted = exceptions
            .filter(|it| it.package == package)
            .flat_map(|it| &it.allow);
        self.licenses
            .allow
            .iter()
            .chain(excepted)
            .any(|allowed| allowed == term)
    }

    pub(super) fn allows_source(&self, source: &str) -> bool {
        let registry = source.strip_prefix("registry+");
        registry.is_some_and(|registry| self.sources.allow_registry.iter().any(|it| it == registry))
    }

    /// Whether the package may stand beside another version of itself.
    pub(super) fn skips(&self, package: &Shipped) -> bool {
        self.bans.skip.iter().any(|skip| skip.is_for(package))
    }
}

impl Skip {
    pub(super) fn is_for(&self, package: &Shipped) -> bool {
        self.package == package.to_string()
    }
}
