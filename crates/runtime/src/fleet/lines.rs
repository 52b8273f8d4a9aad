//! What a worker says, line by line.

use codewhale_protocol::runtime::ThreadId;
use serde::Deserialize;
use serde_json::Value;

/// Something a worker said that matters to its fleet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Said {
    /// It works in this thread.
    Thread(ThreadId),
    /// It speaks.
    Text(String),
    /// It calls a tool.
    Calls { tool: String, id: Option<String> },
    /// The call is over.
    Called,
    /// It has used so many more tokens.
    Used(u64),
    /// Something went wrong.
    Trouble(String),
    /// How its turn ended.
    Ended {
        class: Option<String>,
        error: Option<String>,
    },
    /// Something else: a sign of life.
    Else,
}

#[derive(Deserialize)]
struct Line {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    thread_id: Option<String>,
    #[serde(default)]
    content: Option<String>,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    input_tokens: u64,
    #[serde(default)]
    output_tokens: u64,
    #[serde(default)]
    error: Option<String>,
    #[serde(default)]
    meta: Value,
}

/// Reads a line. What does not read is a sign of life, no more.
pub(super) fn read(line: &str) -> Said {
    let Ok(line) = serde_json::from_str::<Line>(line) else {
        return Said::Else;
    };
    let text = |value: &Value| value.as_str().map(str::to_owned);
    match line.kind.as_str() {
        "thread" => match line.thread_id {
            Some(id) => Said::Thread(ThreadId::from(id.as_str())),
            None => Said::Else,
        },
        "content" => Said::Text(line.content.unwrap_or_default()),
        "tool_use" => Said::Calls {
            tool: line.name.unwrap_or_default(),
            id: line.id,
        },
        "tool_result" => Said::Called,
        "turn_usage" => Said::Used(line.input_tokens.saturating_add(line.output_tokens)),
        "error" => Said::Trouble(line.error.unwrap_or_default()),
        "metadata" => Said::Ended {
            class: text(&line.meta["termination_reason"]).filter(|it| it != "resolved"),
            error: text(&line.meta["error"]),
        },
        _ => Said::Else,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_worker_are_read_and_others_are_signs_of_life() {
        let thread =
            r#"{"type":"thread","thread_id":"thr_1","turn_id":"turn_1","schema_version":1}"#;
        assert_eq!(read(thread), Said::Thread("thr_1".into()));
        let calls = r#"{"type":"tool_use","name":"bash","id":"c","input":{"command":"ls"}}"#;
        let (tool, id) = ("bash".to_owned(), Some("c".to_owned()));
        assert_eq!(read(calls), Said::Calls { tool, id });
        let used = r#"{"type":"turn_usage","turn":1,"input_tokens":5,"output_tokens":8}"#;
        assert_eq!(read(used), Said::Used(13));
        let ended = r#"{"type":"metadata","meta":{"termination_reason":"budget_exhausted"}}"#;
        let class = Some("budget_exhausted".to_owned());
        assert_eq!(read(ended), Said::Ended { class, error: None });
        for other in [
            "",
            "{",
            "[]",
            r#"{"type":7}"#,
            r#"{"type":"done"}"#,
            "plain words",
        ] {
            assert_eq!(read(other), Said::Else, "{other}");
        }
    }
}
