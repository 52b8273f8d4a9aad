//! Addresses of resources, read and written.

use std::fmt;

use codewhale_protocol::runtime::ThreadId;

/// What an address leads to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Address {
    /// The directory of the server.
    Workspace,
    /// A thread, from an item on.
    Thread { id: ThreadId, after: usize },
    /// The receipt of a sub-agent.
    AgentRun(String),
}

impl Address {
    pub(super) fn thread(id: &ThreadId) -> Self {
        Self::Thread {
            id: id.clone(),
            after: 0,
        }
    }

    /// Reads an address. Files are not among them: they are read by tools, under the law.
    pub(super) fn read(uri: &str, workspace: &str) -> Option<Self> {
        if uri.trim_end_matches('/') == workspace_address(workspace).trim_end_matches('/') {
            return Some(Self::Workspace);
        }
        if let Some(run) = uri.strip_prefix("codewhale://agent-run/") {
            return is_id(run).then(|| Self::AgentRun(run.to_owned()));
        }
        let rest = uri
            .strip_prefix("codewhale://thread/")
            .or_else(|| uri.strip_prefix("deepseek://session/"))?;
        let (id, after) = match rest.split_once('?') {
            None => (rest, 0),
            Some((id, query)) => (id, page_of(query.strip_prefix("after=")?)?),
        };
        let id = is_id(id).then(|| ThreadId::from(id))?;
        Some(Self::Thread { id, after })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Workspace => f.write_str("file://"),
            Self::Thread { id, after: 0 } => write!(f, "codewhale://thread/{id}"),
            Self::Thread { id, after } => write!(f, "codewhale://thread/{id}?after={after}"),
            Self::AgentRun(id) => write!(f, "codewhale://agent-run/{id}"),
        }
    }
}

/// The address of a directory. What an address cannot hold is written as in every other one.
pub(super) fn workspace_address(workspace: &str) -> String {
    let mut address = "file://".to_owned();
    for byte in workspace.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => {
                address.push(char::from(byte));
            }
            byte => address.push_str(&format!("%{byte:02X}")),
        }
    }
    address
}

/// A place in a list, as we hand it out.
pub(super) fn page_of(text: &str) -> Option<usize> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}

fn is_id(text: &str) -> bool {
    let is_part = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '-' | '.' | ':');
    !text.is_empty() && text.len() <= 128 && text.chars().all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again_and_the_older_form_too() {
        let id = ThreadId::from("thr_1");
        let thread = Address::Thread {
            id: id.clone(),
            after: 7,
        };
        for address in [
            Address::thread(&id),
            thread.clone(),
            Address::AgentRun("run-1".into()),
        ] {
            assert_eq!(Address::read(&address.to_string(), "/w"), Some(address));
        }
        assert_eq!(
            Address::read("deepseek://session/thr_1?after=7", "/w"),
            Some(thread)
        );
        let spaced = "/home/you/a b/ü";
        assert_eq!(workspace_address(spaced), "file:///home/you/a%20b/%C3%BC");
        assert_eq!(
            Address::read(&workspace_address(spaced), spaced),
            Some(Address::Workspace)
        );
    }

    #[test]
    fn files_and_crooked_addresses_lead_nowhere() {
        let crooked = [
            "file:///etc/passwd",
            "file:///w/../etc/passwd",
            "file:///w/secret",
            "codewhale://thread/",
            "codewhale://thread/a/b",
            "codewhale://thread/a?after=",
            "codewhale://thread/a?after=-1",
            "codewhale://thread/a?before=1",
            "codewhale://agent-run/../x",
            "http://example.org/",
            "",
        ];
        for uri in crooked {
            assert_eq!(Address::read(uri, "/w"), None, "{uri}");
        }
    }
}
