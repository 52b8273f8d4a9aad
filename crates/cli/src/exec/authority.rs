//! The envelope of a fleet worker: for which piece of work it was started, and what it may not
//! exceed. It only narrows.

use codewhale_protocol::runtime::{Bounds, ThreadId};
use serde::Deserialize;

/// What a fleet gives its worker along.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Authority {
    run_id: String,
    task_id: String,
    worker_id: String,
    attempt: u32,
    tools: Option<Vec<String>>,
    writable_paths: Option<Vec<String>>,
    max_tokens: Option<u64>,
    max_tool_calls: Option<u64>,
    max_seconds: Option<u64>,
    parent_thread_id: Option<ThreadId>,
}

impl Authority {
    /// Reads the envelope. A member that nobody here keeps to is refused.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let authority: Self = serde_json::from_str(text)
            .map_err(|error| format!("the authority does not read ({error})"))?;
        for (name, value) in [
            ("run_id", &authority.run_id),
            ("task_id", &authority.task_id),
            ("worker_id", &authority.worker_id),
        ] {
            if value.trim().is_empty() {
                return Err(format!("{name} of the authority is blank"));
            }
        }
        Ok(authority)
    }

    /// Names the piece of work: the same attempt is made once.
    pub(super) fn dedupe_key(&self) -> String {
        format!("{}/{}/{}", self.run_id, self.task_id, self.attempt)
    }

    pub(super) fn worker_id(&self) -> &str {
        &self.worker_id
    }

    pub(super) fn parent_thread_id(&self) -> Option<&ThreadId> {
        self.parent_thread_id.as_ref()
    }

    /// What the work may not exceed.
    pub(super) fn bounds(&self) -> Bounds {
        Bounds {
            allowed_tools: self.tools.clone(),
            writable_paths: self.writable_paths.clone(),
            max_tokens: self.max_tokens,
            max_tool_calls: self.max_tool_calls,
            max_seconds: self.max_seconds,
            ..Bounds::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_envelope_that_does_not_read_is_refused_with_the_reason() {
        let whole = r#"{"run_id":"r","task_id":"t","worker_id":"w","attempt":2,"tools":["bash"]}"#;
        let read = Authority::read(whole).unwrap();
        assert_eq!(read.dedupe_key(), "r/t/2");
        assert_eq!(read.bounds().allowed_tools, Some(vec!["bash".to_owned()]));
        for (text, word) in [
            ("", "EOF"),
            (r#"{"run_id":"r"}"#, "task_id"),
            (&whole.replace("tools", "tool"), "unknown field `tool`"),
            (
                &whole.replace("\"r\"", "\" \""),
                "run_id of the authority is blank",
            ),
        ] {
            let refusal = Authority::read(text).unwrap_err();
            assert!(refusal.contains(word), "{refusal}");
        }
    }
}
