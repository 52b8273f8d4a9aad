//! Which hosts may be spoken to.

use codewhale_protocol::{NetworkPolicyAmendment, NetworkPolicyRuleAction};
use serde::{Deserialize, Deserializer, Serialize};

/// The hosts that are open, those that are shut, and what becomes of the rest.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct NetworkPolicy {
    /// For hosts that no entry names.
    pub default: NetworkDefault,
    /// Hosts that are open: a name, or `.name` and `*.name` for everything below it.
    pub allow: Vec<String>,
    /// Hosts that are shut. They win over those that are open.
    pub deny: Vec<String>,
}

/// What becomes of a host that no entry names.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NetworkDefault {
    /// Someone is asked.
    #[default]
    Prompt,
    /// It is open.
    Allow,
    /// It is shut.
    Deny,
}

impl NetworkDefault {
    /// Reads a word. What is unknown asks.
    pub fn read(word: &str) -> Self {
        match word.trim().to_ascii_lowercase().as_str() {
            "allow" => Self::Allow,
            "deny" => Self::Deny,
            _ => Self::Prompt,
        }
    }
}

impl<'de> Deserialize<'de> for NetworkDefault {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|word| Self::read(&word))
    }
}

/// What the policy says about a host.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HostVerdict {
    /// Open, by this entry or by default.
    Allow(String),
    /// Someone is asked.
    Prompt,
    /// Shut, by this entry or by default.
    Deny(String),
}

impl NetworkPolicy {
    /// Judges a host.
    pub fn judge(&self, host: &str) -> HostVerdict {
        let host = normal(host);
        let find = |list: &[String]| list.iter().find(|it| covers(it, &host)).cloned();
        if let Some(entry) = find(&self.deny) {
            return HostVerdict::Deny(format!("network:deny={entry}"));
        }
        if let Some(entry) = find(&self.allow) {
            return HostVerdict::Allow(format!("network:allow={entry}"));
        }
        match self.default {
            NetworkDefault::Allow => HostVerdict::Allow("network:default=allow".into()),
            NetworkDefault::Prompt => HostVerdict::Prompt,
            NetworkDefault::Deny => HostVerdict::Deny("network:default=deny".into()),
        }
    }

    /// The same policy with an amendment that a person accepted. The newest word on a host counts.
    #[must_use]
    pub fn amended(mut self, amendment: &NetworkPolicyAmendment) -> Self {
        let host = normal(&amendment.host);
        self.allow.retain(|it| normal(it) != host);
        self.deny.retain(|it| normal(it) != host);
        match amendment.action {
            NetworkPolicyRuleAction::Allow => self.allow.push(host),
            NetworkPolicyRuleAction::Deny => self.deny.push(host),
        }
        self
    }

    /// What a person could lay down about a host while they are asked.
    pub fn proposals(host: &str) -> Vec<NetworkPolicyAmendment> {
        let propose = |action| NetworkPolicyAmendment {
            host: normal(host),
            action,
        };
        vec![
            propose(NetworkPolicyRuleAction::Allow),
            propose(NetworkPolicyRuleAction::Deny),
        ]
    }
}

/// Whether an entry names a host. A leading dot or `*.` names what is below it, not itself.
pub(crate) fn covers(entry: &str, host: &str) -> bool {
    let entry = normal(entry);
    let host = normal(host);
    let below = entry.strip_prefix("*.").or_else(|| entry.strip_prefix('.'));
    match below {
        Some("") => false,
        Some(parent) => host
            .strip_suffix(parent)
            .is_some_and(|rest| rest.len() > 1 && rest.ends_with('.')),
        None => !entry.is_empty() && entry == host,
    }
}

fn normal(host: &str) -> String {
    let host = host.trim().to_ascii_lowercase();
    host.strip_suffix('.').map_or(host.clone(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_matches_by_name_or_below_a_dot() {
        for (entry, host, does) in [
            ("example.org", "example.org", true),
            ("example.org", "EXAMPLE.org.", true),
            ("example.org", "a.example.org", false),
            (".example.org", "a.example.org", true),
            ("*.example.org", "a.b.example.org", true),
            ("*.example.org", "example.org", false),
            (".example.org", "badexample.org", false),
            (".example.org", ".example.org", false),
            ("", "", false),
            ("*.", "a", false),
            ("*", "a", false),
        ] {
            assert_eq!(covers(entry, host), does, "{entry} {host}");
        }
    }

    #[test]
    fn deny_wins_and_an_unknown_default_asks() {
        let policy: NetworkPolicy = serde_json::from_str(
            r#"{"default":"whatever","allow":["a.org",".b.org"],"deny":["x.b.org"]}"#,
        )
        .unwrap_or_default();
        assert_eq!(
            policy.judge("a.org"),
            HostVerdict::Allow("network:allow=a.org".into())
        );
        assert_eq!(
            policy.judge("x.b.org"),
            HostVerdict::Deny("network:deny=x.b.org".into())
        );
        assert_eq!(
            policy.judge("y.b.org"),
            HostVerdict::Allow("network:allow=.b.org".into())
        );
        assert_eq!(policy.judge("c.org"), HostVerdict::Prompt);
    }

    #[test]
    fn an_accepted_amendment_replaces_what_was_said_before() {
        let deny = NetworkPolicyAmendment {
            host: "A.org".into(),
            action: NetworkPolicyRuleAction::Deny,
        };
        let policy = NetworkPolicy {
            allow: vec!["a.org.".into()],
            ..NetworkPolicy::default()
        };
        let policy = policy.amended(&deny);
        assert_eq!(
            (policy.allow.len(), policy.deny),
            (0, vec!["a.org".to_owned()])
        );
    }
}
