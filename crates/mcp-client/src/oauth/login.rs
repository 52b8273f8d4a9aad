//! What is kept of a login.

use codewhale_protocol::Secret;
use serde::{Deserialize, Serialize};

use crate::limits::RENEW_BEFORE;

/// What the names of logins begin with, so that no provider is taken for one.
const PREFIX: &str = "mcp:";

/// A login, as it is written into the vault.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Login {
    /// Who made the tokens, and the only one who is sent the second.
    pub(super) issuer: String,
    pub(super) token_endpoint: String,
    /// What the tokens are for.
    pub(super) resource: String,
    pub(super) client: ClientId,
    pub(super) access_token: String,
    pub(super) refresh_token: Option<String>,
    /// In seconds since 1970; nothing when nobody said.
    pub(super) expires_at_s: Option<i64>,
}

/// Who we are at an issuer.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ClientId {
    pub(super) id: String,
    pub(super) secret: Option<String>,
    /// Whether the secret goes into a header, not into the form.
    pub(super) is_basic: bool,
}

impl Login {
    /// Reads what was kept; nothing when it makes no sense any more.
    pub(super) fn read(kept: &Secret) -> Option<Self> {
        serde_json::from_str(kept.expose()).ok()
    }

    pub(super) fn written(&self) -> Secret {
        Secret::new(serde_json::to_string(self).expect("a login is plain data"))
    }

    /// Whether the token is good for a while.
    pub(super) fn is_fresh(&self, now_s: i64) -> bool {
        self.is_good(now_s.saturating_add(RENEW_BEFORE.as_secs() as i64))
    }

    /// Whether the token is good at a time.
    pub(super) fn is_good(&self, at_s: i64) -> bool {
        self.expires_at_s.is_none_or(|end| at_s < end)
    }

    /// What must not show.
    pub(super) fn secrets(&self) -> Vec<Secret> {
        let more = [&self.refresh_token, &self.client.secret];
        let more = more.into_iter().flatten();
        let all = std::iter::once(&self.access_token).chain(more);
        all.map(Secret::new).collect()
    }

    /// A text of somebody else's, without what must not show.
    pub(super) fn masked(&self, text: &str) -> String {
        let secrets = self.secrets().into_iter();
        let secrets = secrets.filter(|it| !it.expose().is_empty());
        secrets.fold(text.to_owned(), |text, secret| {
            text.replace(secret.expose(), "[redacted]")
        })
    }
}

/// The name a login is kept under: a server that moves elsewhere is another one.
pub(super) fn name(server: &str, url: &str) -> String {
    format!("{PREFIX}{server}|{url}")
}

/// Whether a name in the vault is that of a login.
pub fn is_login(name: &str) -> bool {
    name.starts_with(PREFIX)
}

/// What must not show of a login that is kept.
pub fn secrets_of(kept: &Secret) -> Vec<Secret> {
    Login::read(kept)
        .map(|login| login.secrets())
        .unwrap_or_default()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(crate) fn login(expires_at_s: Option<i64>) -> Login {
        Login {
            issuer: "https://issuer.example.org".to_owned(),
            token_endpoint: "https://issuer.example.org/token".to_owned(),
            resource: "https://hub.example.org".to_owned(),
            client: ClientId {
                id: "us".to_owned(),
                secret: Some("our-secret".to_owned()),
                is_basic: false,
            },
            access_token: "access-1".to_owned(),
            refresh_token: Some("refresh-1".to_owned()),
            expires_at_s,
        }
    }

    #[test]
    fn a_token_is_renewed_half_a_minute_before_it_ends() {
        for (end, is_fresh, is_good) in [
            (None, true, true),
            (Some(1031), true, true),
            (Some(1030), false, true),
            (Some(1001), false, true),
            (Some(1000), false, false),
        ] {
            let login = login(end);
            assert_eq!(login.is_fresh(1000), is_fresh, "{end:?}");
            assert_eq!(login.is_good(1000), is_good, "{end:?}");
        }
    }

    #[test]
    fn a_login_reads_as_it_was_written_and_its_secrets_are_known() {
        let login = login(Some(7));
        let kept = login.written();
        assert!(Login::read(&kept).unwrap() == login);
        let secrets = secrets_of(&kept);
        let secrets: Vec<_> = secrets.iter().map(Secret::expose).collect();
        assert_eq!(secrets, ["access-1", "refresh-1", "our-secret"]);
        assert_eq!(login.masked("no refresh-1 here"), "no [redacted] here");
        assert!(secrets_of(&Secret::new("sk-plain-key")).is_empty());
    }
}
