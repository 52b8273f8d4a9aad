//! Where requests go: a configured base address, checked and completed.

use std::net::IpAddr;

use reqwest::Url;

use crate::catalogue::Dialect;
use crate::http::Reach;

/// The full address of a dialect at a provider.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Endpoint {
    url: Url,
}

/// Why a base address cannot be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BaseProblem {
    /// It does not read as an address.
    #[error("it is not an http or https address")]
    NotAnAddress,
    /// It carries a user name or password, which would end up in logs.
    #[error("it contains a user name or password; put the key into api_key instead")]
    Credentials,
    /// It would send the key and the conversation unencrypted over a network.
    #[error(
        "plain http is only allowed to this machine; use https, or allow it with CODEWHALE_ALLOW_INSECURE_HTTP"
    )]
    PlainHttp,
}

impl Endpoint {
    /// The address of a dialect under a base, with `/v1` put in where the base names no version.
    /// A base that is the full address already is taken as it is.
    pub(crate) fn new(base: &str, dialect: Dialect) -> Result<Self, BaseProblem> {
        let mut url = Url::parse(base.trim()).map_err(|_| BaseProblem::NotAnAddress)?;
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
            return Err(BaseProblem::NotAnAddress);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(BaseProblem::Credentials);
        }
        url.set_fragment(None);
        let path = match dialect {
            Dialect::Chat => chat_path(url.path()),
            Dialect::Messages => messages_path(url.path()),
            Dialect::Responses => responses_path(url.host_str(), url.path()),
        };
        url.set_path(&path);
        Ok(Self { url })
    }

    pub(crate) fn url(&self) -> &Url {
        &self.url
    }

    /// The host and port, for messages.
    pub(crate) fn host(&self) -> String {
        let host = self.url.host_str().unwrap_or_default();
        match self.url.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        }
    }

    /// Whether requests would travel over a network without encryption.
    pub(crate) fn is_plain_remote(&self) -> bool {
        self.is_plain() && !self.is_loopback()
    }

    pub(crate) fn reach(&self) -> Reach {
        if self.is_plain() && self.is_loopback() {
            Reach::Loopback
        } else {
            Reach::Network
        }
    }

    fn is_plain(&self) -> bool {
        self.url.scheme() == "http"
    }

    fn is_loopback(&self) -> bool {
        let host = self.url.host_str().unwrap_or_default();
        let address = host.trim_start_matches('[').trim_end_matches(']');
        host == "localhost" || address.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
    }
}

/// `<base>/chat/completions`. A trailing `/beta` becomes `/v1`: it serves strict tools only.
fn chat_path(base: &str) -> String {
    let base = base.trim_end_matches('/');
    let base = base.strip_suffix("/chat/completions").unwrap_or(base);
    if let Some(root) = base.strip_suffix("/beta") {
        return format!("{root}/v1/chat/completions");
    }
    format!("{base}{}/chat/completions", version_behind(base))
}

/// `<base>/v1/messages`.
fn messages_path(base: &str) -> String {
    let base = base.trim_end_matches('/');
    let base = base.strip_suffix("/messages").unwrap_or(base);
    format!("{base}{}/messages", version_behind(base))
}

/// `<base>/responses`. Two providers have it elsewhere: DeepSeek without a version, ChatGPT under
/// a name of its own.
fn responses_path(host: Option<&str>, base: &str) -> String {
    let base = base.trim_end_matches('/');
    let base = base.strip_suffix("/responses").unwrap_or(base);
    match host {
        Some("api.deepseek.com") => "/responses".to_owned(),
        Some("chatgpt.com") => {
            let base = base.strip_suffix("/codex").unwrap_or(base);
            format!("{base}/codex/responses")
        }
        _ => format!("{base}{}/responses", version_behind(base)),
    }
}

/// What has to follow a base before the path of a dialect.
fn version_behind(base: &str) -> &'static str {
    if base.split('/').any(is_version) {
        ""
    } else {
        "/v1"
    }
}

/// `v1`, `v4`, `beta`, and words that begin like a version, such as `v1beta`.
fn is_version(segment: &str) -> bool {
    let is_numbered = segment
        .strip_prefix('v')
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    is_numbered || segment == "beta"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chat(base: &str) -> Result<Endpoint, BaseProblem> {
        Endpoint::new(base, Dialect::Chat)
    }

    #[test]
    fn a_base_is_completed_to_the_address_of_its_dialect() {
        let cases = [
            (
                Dialect::Messages,
                "https://api.anthropic.com",
                "https://api.anthropic.com/v1/messages",
            ),
            (
                Dialect::Messages,
                "https://x.dev/anthropic/",
                "https://x.dev/anthropic/v1/messages",
            ),
            (
                Dialect::Messages,
                "http://localhost:1/v1",
                "http://localhost:1/v1/messages",
            ),
            (
                Dialect::Messages,
                "https://x.dev/v1/messages",
                "https://x.dev/v1/messages",
            ),
            (
                Dialect::Responses,
                "https://api.openai.com/v1",
                "https://api.openai.com/v1/responses",
            ),
            (
                Dialect::Responses,
                "http://localhost:1234",
                "http://localhost:1234/v1/responses",
            ),
            (
                Dialect::Responses,
                "https://x.dev/v1/responses",
                "https://x.dev/v1/responses",
            ),
            (
                Dialect::Responses,
                "https://api.deepseek.com/beta",
                "https://api.deepseek.com/responses",
            ),
            (
                Dialect::Responses,
                "https://chatgpt.com/backend-api",
                "https://chatgpt.com/backend-api/codex/responses",
            ),
            (
                Dialect::Responses,
                "https://chatgpt.com/backend-api/codex",
                "https://chatgpt.com/backend-api/codex/responses",
            ),
        ];
        for (dialect, base, expect) in cases {
            assert_eq!(Endpoint::new(base, dialect).unwrap().url().as_str(), expect);
        }
    }

    #[test]
    fn a_base_is_completed_to_the_chat_address() {
        let cases = [
            (
                "https://api.deepseek.com",
                "https://api.deepseek.com/v1/chat/completions",
            ),
            (
                "https://api.deepseek.com/beta",
                "https://api.deepseek.com/v1/chat/completions",
            ),
            (
                "https://api.deepseek.com/beta/",
                "https://api.deepseek.com/v1/chat/completions",
            ),
            (
                "https://api.openai.com/v1",
                "https://api.openai.com/v1/chat/completions",
            ),
            (
                "https://api.openai.com/v1/",
                "https://api.openai.com/v1/chat/completions",
            ),
            (
                " https://openrouter.ai/api/v1 ",
                "https://openrouter.ai/api/v1/chat/completions",
            ),
            ("https://x.dev/api", "https://x.dev/api/v1/chat/completions"),
            (
                "https://api.z.ai/api/coding/paas/v4",
                "https://api.z.ai/api/coding/paas/v4/chat/completions",
            ),
            (
                "https://api.deepinfra.com/v1/openai",
                "https://api.deepinfra.com/v1/openai/chat/completions",
            ),
            (
                "https://x.dev/v1beta/openai/",
                "https://x.dev/v1beta/openai/chat/completions",
            ),
            (
                "https://x.dev/beta/a",
                "https://x.dev/beta/a/chat/completions",
            ),
            (
                "https://x.dev/vault",
                "https://x.dev/vault/v1/chat/completions",
            ),
            (
                "https://x.dev/v1/chat/completions",
                "https://x.dev/v1/chat/completions",
            ),
            (
                "http://localhost:11434/v1#a",
                "http://localhost:11434/v1/chat/completions",
            ),
            (
                "https://x.dev/v1?version=2",
                "https://x.dev/v1/chat/completions?version=2",
            ),
        ];
        for (base, expect) in cases {
            assert_eq!(chat(base).unwrap().url().as_str(), expect, "{base}");
        }
    }

    #[test]
    fn a_base_that_cannot_be_used_is_refused() {
        let cases = [
            ("", BaseProblem::NotAnAddress),
            ("api.deepseek.com", BaseProblem::NotAnAddress),
            ("localhost:8080", BaseProblem::NotAnAddress),
            ("file:///etc/passwd", BaseProblem::NotAnAddress),
            ("https://me:secret@x.dev", BaseProblem::Credentials),
            ("https://me@x.dev", BaseProblem::Credentials),
        ];
        for (base, expect) in cases {
            assert_eq!(chat(base), Err(expect), "{base}");
        }
    }

    #[test]
    fn plain_http_counts_as_safe_on_this_machine_only() {
        let local = [
            "http://localhost",
            "http://LOCALHOST:1",
            "http://127.0.0.1",
            "http://127.1.2.3:80",
            "http://[::1]:9",
        ];
        for base in local {
            let endpoint = chat(base).unwrap();
            assert!(!endpoint.is_plain_remote(), "{base}");
            assert_eq!(endpoint.reach(), Reach::Loopback, "{base}");
        }
        let remote = [
            "http://x.dev",
            "http://0.0.0.0",
            "http://10.0.0.1",
            "http://[::2]",
            "http://localhost.x.dev",
            "http://127.0.0.1.x.dev",
        ];
        for base in remote {
            let endpoint = chat(base).unwrap();
            assert!(endpoint.is_plain_remote(), "{base}");
            assert_eq!(endpoint.reach(), Reach::Network, "{base}");
        }
        let endpoint = chat("https://127.0.0.1").unwrap();
        assert_eq!(
            (endpoint.is_plain_remote(), endpoint.reach()),
            (false, Reach::Network)
        );
    }

    #[test]
    fn messages_show_host_and_port() {
        assert_eq!(chat("https://x.dev/a").unwrap().host(), "x.dev");
        assert_eq!(chat("http://[::1]:80").unwrap().host(), "[::1]");
        assert_eq!(chat("http://127.0.0.1:81").unwrap().host(), "127.0.0.1:81");
    }
}
