//! The receipt: what a run came to, as far as it is truly known.

use codewhale_protocol::runtime::{
    ItemKind, ThreadDetail, ThreadId, TurnItemRecord, TurnRecord, Usage,
};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::exit::Ending;

/// What there is to say at the end.
pub(super) struct Receipt {
    pub(super) thread: ThreadId,
    pub(super) turn: TurnRecord,
    pub(super) ending: Ending,
    /// What was asked last.
    pub(super) prompt: String,
    /// The final answer, or what there is of it.
    pub(super) output: String,
    /// What all turns of the run used.
    pub(super) usage: Option<Usage>,
    pub(super) duration_ms: u64,
    pub(super) posture: Posture,
    /// The whole thread at the end, if it could be read.
    pub(super) detail: Option<ThreadDetail>,
    /// Whether the end was told as an error already.
    pub(super) is_told: bool,
}

/// Under which settings it ran.
pub(super) struct Posture {
    pub(super) auto: bool,
    pub(super) sandbox: Option<String>,
    /// Whether the model was left to us.
    pub(super) auto_model: bool,
}

impl Receipt {
    /// What went wrong, unless it was told already.
    pub(super) fn complaint(&self) -> Option<&str> {
        self.ending.error.as_deref().filter(|_| !self.is_told)
    }

    /// Goes on with the session; the prompt follows, or comes by standard input.
    pub(super) fn resume_command(&self) -> String {
        format!("codewhale exec --resume {}", self.thread)
    }

    /// Names the session where its id is not wanted.
    pub(super) fn fingerprint(&self) -> String {
        let hex = hex(self.thread.as_str());
        format!("<redacted:{}>", &hex[..16])
    }

    /// Everything that is known; what is not is left out.
    pub(super) fn meta(&self) -> Value {
        let (turn, ending) = (&self.turn, &self.ending);
        let mut meta = Map::new();
        let mut put = |name: &str, value: Value| {
            if !value.is_null() {
                meta.insert(name.to_owned(), value);
            }
        };
        put("receipt_kind", "terminal".into());
        put("provider", json!(turn.effective_provider));
        put("provider_id", json!(turn.effective_provider_id));
        put("model", json!(turn.effective_model));
        let source = match self.posture.auto_model {
            true => "auto_resolver",
            false => "explicit_or_configured",
        };
        put("route_source", source.into());
        let usage = json!(self.usage);
        for (name, value) in usage.as_object().into_iter().flatten() {
            put(name, value.clone());
        }
        put("cost_usd", json!(turn.cost_usd));
        put("duration_ms", self.duration_ms.into());
        let approvals = if self.posture.auto {
            "auto_tools"
        } else {
            "ask"
        };
        put("approval_posture", approvals.into());
        let sandbox = self.posture.sandbox.as_deref();
        put(
            "sandbox_posture",
            sandbox.unwrap_or("configured_default").into(),
        );
        put("sandbox_mode", json!(turn.sandbox_mode));
        put(
            "prompt_sha256",
            format!("sha256:{}", hex(&self.prompt)).into(),
        );
        if let Some(detail) = &self.detail {
            put("input_analysis", analysis(detail));
            put("message_count", messages(detail).into());
            put("workspace", detail.thread.workspace.as_str().into());
        }
        let chars = self.output.chars().count();
        put("visible_final_answer_chars", chars.into());
        put("session_id", json!(self.thread));
        put("thread_id", json!(self.thread));
        put("turn_id", json!(turn.id));
        put("resume_command", self.resume_command().into());
        put("status", ending.status.as_str().into());
        put("termination_reason", ending.termination_reason.into());
        let category = ending.error_category.map(|it| it.as_str());
        put("error_category", json!(category));
        put("error", json!(ending.error));
        put("exit_code", ending.code.into());
        Value::Object(meta)
    }
}

fn hex(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn of_kind(
    detail: &ThreadDetail,
    is: fn(ItemKind) -> bool,
) -> impl Iterator<Item = &TurnItemRecord> {
    detail.items.iter().filter(move |item| is(item.kind))
}

/// What people and agents have said, and what tools gave.
fn messages(detail: &ThreadDetail) -> usize {
    let is_message = |kind: ItemKind| {
        kind.is_tool() || matches!(kind, ItemKind::UserMessage | ItemKind::AgentMessage)
    };
    of_kind(detail, is_message).count()
}

/// The conversation by numbers. Tokens are counted by the provider alone, so they are not guessed.
fn analysis(detail: &ThreadDetail) -> Value {
    let chars = |is: fn(ItemKind) -> bool| -> usize {
        let texts = of_kind(detail, is).filter_map(|item| item.detail.as_deref());
        texts.map(|text| text.chars().count()).sum()
    };
    let input = |item: &TurnItemRecord| -> usize {
        let input = item.metadata.as_ref().map(|it| it["arguments"].clone());
        let input = input.as_ref().and_then(Value::as_str);
        input.map_or(0, |text| text.chars().count())
    };
    let is_user = |kind| kind == ItemKind::UserMessage;
    let is_agent = |kind| kind == ItemKind::AgentMessage;
    let is_thought = |kind| kind == ItemKind::AgentReasoning;
    let calls = of_kind(detail, ItemKind::is_tool).count();
    json!({
        "user_message_count": of_kind(detail, is_user).count(),
        "assistant_message_count": of_kind(detail, is_agent).count(),
        "tool_message_count": calls,
        "tool_use_count": calls,
        "tool_result_count": calls,
        "text_chars": chars(is_user) + chars(is_agent),
        "thinking_chars": chars(is_thought),
        "tool_use_input_chars": of_kind(detail, ItemKind::is_tool).map(input).sum::<usize>(),
        "tool_result_chars": chars(ItemKind::is_tool),
    })
}
