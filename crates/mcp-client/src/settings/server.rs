//! What others may know of a server, and what nobody may.

use super::{Program, Reach, Server};

impl Server {
    /// Its program, for those who look: arguments may hold secrets.
    pub fn program(&self) -> Option<&str> {
        match &self.reach {
            Reach::Stdio(program) => Some(&program.command),
            Reach::Http(_) => None,
        }
    }

    /// Its address, for those who look: names, passwords and queries may be secrets.
    pub fn address(&self) -> Option<String> {
        match &self.reach {
            Reach::Stdio(_) => None,
            Reach::Http(remote) => {
                let mut url = reqwest::Url::parse(&remote.url).ok()?;
                let _ = url.set_username("");
                let _ = url.set_password(None);
                url.set_query(None);
                url.set_fragment(None);
                Some(url.into())
            }
        }
    }

    /// The host it is spoken to on; none for a process on this machine.
    pub fn host(&self) -> Option<String> {
        match &self.reach {
            Reach::Stdio(_) => None,
            Reach::Http(remote) => {
                let url = reqwest::Url::parse(&remote.url).ok();
                // What cannot be read has no name that any policy could open.
                let host = url.as_ref().and_then(|url| url.host_str());
                Some(host.unwrap_or_default().to_ascii_lowercase())
            }
        }
    }

    /// What must not show: headers, and variables whose names say so.
    pub(super) fn secrets(&self) -> Vec<&str> {
        match &self.reach {
            Reach::Stdio(program) => secret_variables(program).collect(),
            Reach::Http(remote) => remote.headers.values().map(|it| bare(it)).collect(),
        }
    }
}

fn secret_variables(program: &Program) -> impl Iterator<Item = &str> {
    const WORDS: &[&str] = &["KEY", "TOKEN", "SECRET", "PASSWORD", "AUTH", "CREDENTIAL"];
    let is_secret = |name: &str| {
        let name = name.to_ascii_uppercase();
        WORDS.iter().any(|word| name.contains(word))
    };
    let variables = program.env.iter();
    let variables = variables.filter(move |(name, _)| is_secret(name));
    variables.map(|(_, value)| value.as_str())
}

/// A header without the word that says which kind of authorisation it is.
fn bare(header: &str) -> &str {
    let kinds = ["Bearer ", "Basic ", "Token "];
    let bare = kinds.iter().find_map(|kind| header.strip_prefix(kind));
    bare.unwrap_or(header)
}
