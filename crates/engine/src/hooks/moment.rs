//! What happens, as hooks are told of it: facts for conditions, variables, and JSON to read.

use codewhale_protocol::Redactor;
use codewhale_protocol::runtime::Mode;
use codewhale_tools::Output;
use serde_json::{Map, Value, json};

use super::condition::Facts;
use super::{HookEvent, ToolCategory};
use crate::limits;

/// One occasion for hooks to run.
#[derive(Clone, PartialEq, Debug)]
pub struct Moment {
    pub(super) event: HookEvent,
    pub(super) facts: Facts,
    /// Names without their prefix.
    pub(super) variables: Vec<(&'static str, String)>,
    /// What hooks read; completed by the stage.
    pub(super) payload: Option<Map<String, Value>>,
}

/// A call, as hooks are told of it.
#[derive(Clone, Copy, Debug)]
pub struct CallFacts<'a> {
    /// The tool.
    pub tool: &'a str,
    /// What it does.
    pub category: ToolCategory,
    /// The model's id of the call.
    pub call_id: &'a str,
    /// What it is given.
    pub input: &'a Value,
}

impl Moment {
    fn new(event: HookEvent, mode: Mode) -> Self {
        Self {
            event,
            facts: Facts {
                mode: Some(mode),
                ..Facts::default()
            },
            variables: vec![("MODE", mode.as_str().to_owned())],
            payload: None,
        }
    }

    /// A thread begins to be used.
    pub fn session_start(mode: Mode) -> Self {
        Self::new(HookEvent::SessionStart, mode)
    }

    /// A thread is put away.
    pub fn session_end(mode: Mode) -> Self {
        Self::new(HookEvent::SessionEnd, mode)
    }

    /// Someone says something.
    pub fn message_submit(mode: Mode, text: &str) -> Self {
        Self::new(HookEvent::MessageSubmit, mode)
            .with("MESSAGE", text)
            .reading(json!({ "text": text }))
    }

    /// A thread works in another mode from now on.
    pub fn mode_change(before: Mode, now: Mode) -> Self {
        Self::new(HookEvent::ModeChange, now).with("PREVIOUS_MODE", before.as_str())
    }

    /// A turn failed.
    pub fn on_error(mode: Mode, error: &str) -> Self {
        Self::new(HookEvent::OnError, mode).with("ERROR", error)
    }

    /// A turn is over, with what is known of it.
    pub fn turn_end(mode: Mode, payload: Value) -> Self {
        Self::new(HookEvent::TurnEnd, mode).reading(payload)
    }

    /// A sub-agent begins, with what is known of it.
    pub fn subagent_spawn(mode: Mode, payload: Value) -> Self {
        Self::new(HookEvent::SubagentSpawn, mode).reading(payload)
    }

    /// A sub-agent is done, with what is known of it.
    pub fn subagent_complete(mode: Mode, payload: Value) -> Self {
        Self::new(HookEvent::SubagentComplete, mode).reading(payload)
    }

    /// The agent wants to call a tool.
    pub(crate) fn tool_call_before(mode: Mode, call: CallFacts<'_>) -> Self {
        Self::new(HookEvent::ToolCallBefore, mode).about(call)
    }

    /// A command is about to get its environment.
    pub(crate) fn shell_env(mode: Mode, call: CallFacts<'_>) -> Self {
        Self::new(HookEvent::ShellEnv, mode).about(call)
    }

    /// A tool has run.
    pub(crate) fn tool_call_after(mode: Mode, call: CallFacts<'_>, output: &Output) -> Self {
        let facts = output.metadata.as_ref();
        let exit_code = facts.and_then(|facts| facts.get("exit_code")?.as_i64());
        let mut moment = Self::new(HookEvent::ToolCallAfter, mode)
            .about(call)
            .with("TOOL_RESULT", output.for_the_log())
            .with(
                "TOOL_SUCCESS",
                if output.success { "true" } else { "false" },
            );
        moment.facts.exit_code = exit_code;
        match exit_code {
            Some(code) => moment.with("TOOL_EXIT_CODE", &code.to_string()),
            None => moment,
        }
    }

    fn about(mut self, call: CallFacts<'_>) -> Self {
        self.facts.tool = Some((call.tool.to_owned(), call.category));
        self.with("TOOL_NAME", call.tool)
            .with("TOOL_CALL_ID", call.call_id)
            .with("TOOL_ARGS", &call.input.to_string())
    }

    fn with(mut self, name: &'static str, value: &str) -> Self {
        self.variables.push((name, value.to_owned()));
        self
    }

    fn reading(mut self, payload: Value) -> Self {
        self.payload = match payload {
            Value::Object(members) => Some(members),
            other => Some(Map::from_iter([("value".to_owned(), other)])),
        };
        self
    }
}

/// Both names of each variable, with values that hold no secret and fit.
pub(super) fn environment<'a>(
    variables: impl IntoIterator<Item = (&'static str, &'a str)>,
    redactor: &Redactor,
) -> Vec<(String, String)> {
    let both = |(name, value): (&str, &str)| {
        // Masked before it is cut: half a secret is not known any more.
        let masked = redactor.mask(value).replace('\0', "");
        let value = cut(&masked, limits::HOOK_VARIABLE_BYTES_MAX);
        ["CODEWHALE_", "DEEPSEEK_"].map(|prefix| (format!("{prefix}{name}"), value.to_owned()))
    };
    variables.into_iter().flat_map(both).collect()
}

/// A payload as it is read: without secrets, its longest texts cut until it fits.
pub(super) fn payload(members: &Map<String, Value>, redactor: &Redactor) -> String {
    let mut members = members.clone();
    loop {
        let text = redactor.seal_json(&members).as_str().to_owned();
        if text.len() <= limits::HOOK_PAYLOAD_BYTES_MAX {
            return text;
        }
        let texts = members.values_mut().filter_map(|value| match value {
            Value::String(text) if !text.is_empty() => Some(text),
            _ => None,
        });
        let Some(longest) = texts.max_by_key(|text| text.len()) else {
            return "{}".to_owned();
        };
        let half = cut(longest, longest.len() / 2).len();
        longest.truncate(half);
        members.insert("truncated".to_owned(), Value::Bool(true));
    }
}

/// The beginning of a text.
pub(super) fn cut(text: &str, bytes_max: usize) -> &str {
    &text[..text.floor_char_boundary(bytes_max)]
}

#[cfg(test)]
mod tests {
    use codewhale_protocol::Secret;

    use super::*;

    fn redactor() -> Redactor {
        Redactor::new(&[Secret::new("canary.key.1234")])
    }

    #[test]
    fn every_variable_has_both_names_no_secret_and_a_bound() {
        let long = "€".repeat(limits::HOOK_VARIABLE_BYTES_MAX);
        let variables = [
            ("MODE", "agent"),
            ("MESSAGE", "use canary.key.1234\0!"),
            ("ERROR", long.as_str()),
        ];
        let found = environment(variables, &redactor());
        assert_eq!(found[0], ("CODEWHALE_MODE".into(), "agent".into()));
        assert_eq!(found[1], ("DEEPSEEK_MODE".into(), "agent".into()));
        assert_eq!(found[2].1, "use [redacted]!");
        assert!(found[4].1.len() <= limits::HOOK_VARIABLE_BYTES_MAX);
        assert!(found[4].1.len() > limits::HOOK_VARIABLE_BYTES_MAX - 4);
    }

    #[test]
    fn a_payload_that_is_too_long_loses_the_end_of_its_longest_text() {
        let told = json!({ "text": "\"".repeat(100_000), "mode": "plan" });
        let Value::Object(members) = told else {
            panic!("an object")
        };
        let text = payload(&members, &redactor());
        assert!(text.len() <= limits::HOOK_PAYLOAD_BYTES_MAX);
        let read: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(
            (&read["mode"], &read["truncated"]),
            (&json!("plan"), &json!(true))
        );
        assert!(read["text"].as_str().unwrap().len() > 10_000);
    }

    #[test]
    fn a_payload_holds_no_secret() {
        let members = Map::from_iter([("text".to_owned(), json!("canary.key.1234"))]);
        assert_eq!(payload(&members, &redactor()), r#"{"text":"[redacted]"}"#);
    }
}
