//! What the model reads: the standing instructions, and the conversation told by the items.

mod front_matter;
mod instructions;
mod limits;
mod memory;
mod prompt;
mod repository;
mod skills;
mod sources;
#[cfg(test)]
mod testing;
mod text;

use codewhale_model::{Message, ToolCall};
use codewhale_protocol::runtime::{ItemKind, ItemStatus, TurnId, TurnItemRecord};
use serde_json::{Value, json};

pub use sources::{Problem, Sources, Standing};

/// What the metadata of a call that was cut off says under `outcome`: it may have happened.
pub const OUTCOME_UNKNOWN: &str = "unknown";

/// The same: it had not begun.
pub const NOT_RUN: &str = "not_run";

/// Stands in for the result of a call that never began.
const NO_EFFECT: &str = "The call was cut off before it began. It had no effect.";

/// Stands in for the result of a call that never got one.
const NO_RESULT: &str = "The call was cut off before it gave a result. Whether it had an effect is not known: look \
     before you repeat it.";

/// What an item of a tool keeps, so that the conversation can be told from items alone.
pub fn tool_metadata(call: &ToolCall, input: &Value, step: u32) -> Value {
    json!({
        "tool": { "id": call.id, "name": call.name, "input": input },
        "arguments": call.arguments,
        "step": step,
    })
}

/// The conversation that items tell. Every call has a result, in the order of the calls, whatever
/// was cut off: a provider refuses anything else.
pub fn conversation<'a>(items: impl IntoIterator<Item = &'a TurnItemRecord>) -> Vec<Message> {
    let mut teller = Teller::default();
    for item in items {
        teller.take(item);
    }
    teller.end_step();
    teller.messages
}

#[derive(Default)]
struct Teller {
    messages: Vec<Message>,
    /// The answer of the model that is being put together, and which one it is.
    step: Option<(TurnId, u64)>,
    reasoning: String,
    text: String,
    calls: Vec<ToolCall>,
    results: Vec<Message>,
}

impl Teller {
    fn take(&mut self, item: &TurnItemRecord) {
        match item.kind {
            ItemKind::UserMessage => {
                self.end_step();
                let text = item.detail.clone().unwrap_or_default();
                self.messages.push(Message::User { text });
            }
            // A text that was abandoned is said again by the item behind it.
            ItemKind::AgentMessage | ItemKind::AgentReasoning
                if item.status == ItemStatus::Failed => {}
            ItemKind::AgentReasoning => {
                self.go_to(item);
                self.reasoning
                    .push_str(item.detail.as_deref().unwrap_or_default());
            }
            ItemKind::AgentMessage => {
                self.go_to(item);
                self.text
                    .push_str(item.detail.as_deref().unwrap_or_default());
            }
            ItemKind::ToolCall | ItemKind::CommandExecution | ItemKind::FileChange => {
                self.go_to(item);
                self.take_call(item);
            }
            // Exactly what replaced the conversation when it was shortened.
            ItemKind::ContextCompaction if item.status == ItemStatus::Completed => {
                self.end_step();
                let text = item.detail.clone().unwrap_or_default();
                self.messages = vec![Message::User { text }];
            }
            ItemKind::ContextCompaction | ItemKind::Status | ItemKind::Error => {}
        }
    }

    fn take_call(&mut self, item: &TurnItemRecord) {
        let Some(metadata) = &item.metadata else {
            return;
        };
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let id = text(&metadata["tool"]["id"]);
        self.calls.push(ToolCall {
            id: id.clone(),
            name: text(&metadata["tool"]["name"]),
            arguments: text(&metadata["arguments"]),
        });
        let output = match (item.status, &item.detail) {
            (ItemStatus::Completed | ItemStatus::Failed, Some(output)) => output.clone(),
            _ if metadata["outcome"] == NOT_RUN => NO_EFFECT.to_owned(),
            _ => NO_RESULT.to_owned(),
        };
        let success = item.status == ItemStatus::Completed;
        self.results.push(Message::Tool {
            call_id: id,
            output,
            success,
        });
    }

    /// Ends the answer before, when the item belongs to the next one.
    fn go_to(&mut self, item: &TurnItemRecord) {
        let step = item
            .metadata
            .as_ref()
            .and_then(|metadata| metadata["step"].as_u64());
        let step = Some((item.turn_id.clone(), step.unwrap_or(0)));
        if self.step != step {
            self.end_step();
            self.step = step;
        }
    }

    fn end_step(&mut self) {
        self.step = None;
        let (reasoning, text) = (
            std::mem::take(&mut self.reasoning),
            std::mem::take(&mut self.text),
        );
        let calls = std::mem::take(&mut self.calls);
        if !text.is_empty() || !calls.is_empty() {
            self.messages.push(Message::Assistant {
                reasoning,
                text,
                calls,
            });
        }
        self.messages.append(&mut self.results);
    }
}

#[cfg(test)]
mod tests {
    use codewhale_protocol::runtime::Timestamp;

    use super::*;

    fn item(kind: ItemKind, status: ItemStatus, step: u32, text: &str) -> TurnItemRecord {
        let (by, at) = ("act_1".into(), Timestamp::from_ms(0));
        TurnItemRecord {
            status,
            detail: (!text.is_empty()).then(|| text.to_owned()),
            metadata: Some(json!({ "step": step })),
            ..TurnItemRecord::new("item_1".into(), "turn_1".into(), kind, by, at)
        }
    }

    fn call(id: &str, status: ItemStatus, step: u32, output: &str) -> TurnItemRecord {
        let call = ToolCall {
            id: id.into(),
            name: "read_file".into(),
            arguments: "{}".into(),
        };
        TurnItemRecord {
            metadata: Some(tool_metadata(&call, &json!({}), step)),
            ..item(ItemKind::ToolCall, status, step, output)
        }
    }

    fn told(items: &[TurnItemRecord]) -> Vec<String> {
        let line = |message: &Message| match message {
            Message::User { text } => format!("user {text}"),
            Message::Assistant {
                reasoning,
                text,
                calls,
            } => {
                let calls: Vec<&str> = calls.iter().map(|call| call.id.as_str()).collect();
                format!("assistant [{reasoning}] {text} {calls:?}")
            }
            Message::Tool {
                call_id,
                output,
                success,
            } => {
                format!(
                    "tool {call_id} {success} {}",
                    &output[..output.len().min(12)]
                )
            }
        };
        conversation(items).iter().map(line).collect()
    }

    use ItemKind::{AgentMessage, AgentReasoning, Status, UserMessage};
    use ItemStatus::{Completed, Failed, InProgress, Interrupted};

    #[test]
    fn an_answer_with_calls_comes_back_as_one_message_and_its_results() {
        let items = [
            item(UserMessage, Completed, 0, "hello"),
            item(AgentReasoning, Completed, 1, "hm"),
            item(AgentMessage, Completed, 1, "I look."),
            call("a", Completed, 1, "out a"),
            call("b", Failed, 1, "out b"),
            item(Status, Completed, 0, "waiting"),
            item(AgentMessage, Completed, 2, "Done."),
        ];
        assert_eq!(
            told(&items),
            [
                "user hello",
                "assistant [hm] I look. [\"a\", \"b\"]",
                "tool a true out a",
                "tool b false out b",
                "assistant [] Done. []",
            ]
        );
    }

    #[test]
    fn a_call_that_was_cut_off_still_has_a_result() {
        for status in [InProgress, Interrupted] {
            let items = [
                item(UserMessage, Completed, 0, "go"),
                call("a", status, 1, "{}"),
            ];
            let told = told(&items);
            assert_eq!(told[2], "tool a false The call was", "{status:?}");
        }
    }

    #[test]
    fn an_abandoned_text_is_left_out_and_an_interrupted_one_stays() {
        let items = [
            item(AgentMessage, Failed, 1, "Hel"),
            item(AgentMessage, Completed, 1, "Hello"),
            item(UserMessage, Completed, 0, "stop"),
            item(AgentMessage, Interrupted, 1, "I was about"),
        ];
        assert_eq!(
            told(&items),
            [
                "assistant [] Hello []",
                "user stop",
                "assistant [] I was about []"
            ]
        );
    }
}
