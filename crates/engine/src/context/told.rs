//! The conversation told by the items of a thread: what a provider is sent after a restart is, byte
//! for byte, what it would have been sent without one.

use codewhale_model::{Message, ToolCall};
use codewhale_protocol::runtime::{ItemKind, ItemStatus, TurnId, TurnItemRecord};
use serde_json::{Value, json};

/// What the metadata of a call that was cut off says under `outcome`: it may have happened.
pub const OUTCOME_UNKNOWN: &str = "unknown";

/// The same: it had not begun.
pub const NOT_RUN: &str = "not_run";

/// Stands in for the result of a call that never began.
const NO_EFFECT: &str = "The call was cut off before it began. It had no effect.";

/// Stands in for the result of a call that never got one.
const NO_RESULT: &str = "The call was cut off before it gave a result. Whether it had an effect is not known: look \
     before you repeat it.";

/// Stands in for the first words of a person, where they are gone.
const BEGINNING_LOST: &str = "(The beginning of our conversation was lost.)";

/// The name of a tool whose name is gone.
const NAME_LOST: &str = "unknown_tool";

/// What an item of a tool keeps, so that the conversation can be told from items alone.
pub fn tool_metadata(call: &ToolCall, input: &Value, step: u32) -> Value {
    json!({
        "tool": { "id": call.id, "name": call.name, "input": input },
        "arguments": call.arguments,
        "step": step,
    })
}

/// What a call that was cut off gave, for the item that keeps it and the model that reads it.
pub fn cut_off(outcome: &str) -> &'static str {
    match outcome {
        NOT_RUN => NO_EFFECT,
        _ => NO_RESULT,
    }
}

/// The conversation that items tell. It begins with a person, and every call has a result, in the order of the calls, whatever
/// was cut off: a provider refuses anything else.
pub fn conversation<'a>(items: impl IntoIterator<Item = &'a TurnItemRecord>) -> Vec<Message> {
    let mut teller = Teller::default();
    for item in items {
        teller.take(item);
    }
    teller.end_step();
    if matches!(teller.messages.first(), Some(first) if !matches!(first, Message::User { .. })) {
        let text = BEGINNING_LOST.to_owned();
        teller.messages.insert(0, Message::User { text });
    }
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
    /// What people said meanwhile: the model reads it behind the results.
    meanwhile: Vec<Message>,
}

impl Teller {
    fn take(&mut self, item: &TurnItemRecord) {
        match item.kind {
            ItemKind::UserMessage => {
                let text = item.detail.clone().unwrap_or_default();
                if !text.trim().is_empty() {
                    self.meanwhile.push(Message::User { text });
                }
            }
            // What was abandoned is said again, thoughts and all, by the items behind it.
            ItemKind::AgentMessage | ItemKind::AgentReasoning
                if item.status == ItemStatus::Failed =>
            {
                self.go_to(item);
                self.reasoning.clear();
                self.text.clear();
            }
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
                let text = item.detail.clone().unwrap_or_default();
                if text.trim().is_empty() {
                    return;
                }
                self.end_step();
                self.messages = vec![Message::User { text }];
                self.step = step_of(item);
            }
            ItemKind::ContextCompaction | ItemKind::Status | ItemKind::Error => {}
        }
    }

    fn take_call(&mut self, item: &TurnItemRecord) {
        let Some(metadata) = &item.metadata else {
            return;
        };
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let or = |text: String, other: &str| match text.is_empty() {
            true => other.to_owned(),
            false => text,
        };
        let id = or(text(&metadata["tool"]["id"]), item.id.as_str());
        self.calls.push(ToolCall {
            id: id.clone(),
            name: or(text(&metadata["tool"]["name"]), NAME_LOST),
            arguments: text(&metadata["arguments"]),
        });
        let output = match (item.status, &item.detail) {
            (ItemStatus::Completed | ItemStatus::Failed, Some(output)) => output.clone(),
            (ItemStatus::Interrupted, Some(output)) if metadata["outcome"].is_string() => {
                output.clone()
            }
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
        let step = step_of(item);
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
        self.messages.append(&mut self.meanwhile);
    }
}

/// Which answer of the model an item belongs to.
fn step_of(item: &TurnItemRecord) -> Option<(TurnId, u64)> {
    let metadata = item.metadata.as_ref();
    let step = metadata.and_then(|metadata| metadata["step"].as_u64());
    Some((item.turn_id.clone(), step.unwrap_or(0)))
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
            item(AgentMessage, Interrupted, 2, "I was about"),
        ];
        assert_eq!(
            told(&items)[1..],
            [
                "assistant [] Hello []",
                "user stop",
                "assistant [] I was about []"
            ]
        );
    }

    #[test]
    fn what_is_said_while_calls_run_comes_behind_their_results() {
        let items = [
            item(UserMessage, Completed, 0, "go"),
            call("a", Completed, 1, "out a"),
            item(UserMessage, Completed, 0, "be quick"),
            call("b", Completed, 1, "out b"),
            item(AgentMessage, Completed, 2, "Done."),
        ];
        assert_eq!(
            told(&items),
            [
                "user go",
                "assistant []  [\"a\", \"b\"]",
                "tool a true out a",
                "tool b true out b",
                "user be quick",
                "assistant [] Done. []",
            ]
        );
    }

    #[test]
    fn thoughts_of_an_abandoned_answer_go_with_it() {
        let items = [
            item(UserMessage, Completed, 0, "go"),
            item(AgentReasoning, Completed, 1, "first"),
            item(AgentMessage, Failed, 1, "Hel"),
            item(AgentReasoning, Completed, 1, "second"),
            call("a", Completed, 1, "out a"),
        ];
        assert_eq!(told(&items)[1], "assistant [second]  [\"a\"]");
    }

    #[test]
    fn a_result_that_recovery_wrote_is_told_as_it_stands() {
        let mut cut = call("a", Interrupted, 1, cut_off(NOT_RUN));
        cut.metadata.as_mut().unwrap()["outcome"] = NOT_RUN.into();
        let told = conversation([&item(UserMessage, Completed, 0, "go"), &cut]);
        let Message::Tool { output, .. } = &told[2] else {
            panic!("{told:?}")
        };
        assert_eq!(output, NO_EFFECT);
    }

    mod cuts {
        use codewhale_model::paired;
        use proptest::prelude::*;

        use super::*;

        fn any_item() -> impl Strategy<Value = TurnItemRecord> {
            let kinds = prop::sample::select(vec![
                UserMessage,
                AgentMessage,
                AgentReasoning,
                ItemKind::ToolCall,
                ItemKind::CommandExecution,
                ItemKind::FileChange,
                ItemKind::ContextCompaction,
                Status,
                ItemKind::Error,
            ]);
            let states = prop::sample::select(vec![
                Completed,
                Failed,
                InProgress,
                Interrupted,
                ItemStatus::Canceled,
            ]);
            let texts = prop::sample::select(vec!["", " ", "text", "{}"]);
            let ids = prop::sample::select(vec!["", "a", "b"]);
            (kinds, states, 0_u32..4, 0_u8..3, texts, ids).prop_map(
                |(kind, status, step, turn, text, id)| {
                    let made = match kind.is_tool() {
                        true => call(id, status, step, text),
                        false => item(kind, status, step, text),
                    };
                    let (turn_id, kind) = (format!("turn_{turn}").as_str().into(), kind);
                    TurnItemRecord {
                        turn_id,
                        kind,
                        ..made
                    }
                },
            )
        }

        /// Why a provider would refuse the conversation.
        fn refusal(messages: &[Message]) -> Option<&'static str> {
            if !matches!(messages.first(), Some(Message::User { .. }) | None) {
                return Some("it does not begin with a person");
            }
            let is_empty = |message: &Message| match message {
                Message::User { text } => text.trim().is_empty(),
                Message::Assistant { text, calls, .. } => text.is_empty() && calls.is_empty(),
                Message::Tool { call_id, .. } => call_id.is_empty(),
            };
            if messages.iter().any(is_empty) {
                return Some("a message is empty");
            }
            match paired(messages) {
                std::borrow::Cow::Borrowed(_) => None,
                std::borrow::Cow::Owned(_) => Some("calls and results are not in pairs"),
            }
        }

        proptest! {
            #[test]
            fn any_items_in_any_state_tell_a_conversation_that_providers_take(
                items in prop::collection::vec(any_item(), 0..24),
                from in 0_usize..24,
            ) {
                let rest = &items[from.min(items.len())..];
                for cut in 0..=rest.len() {
                    let told = conversation(&rest[..cut]);
                    prop_assert_eq!(refusal(&told), None, "{:?}", told);
                    prop_assert_eq!(&told, &conversation(&rest[..cut]));
                }
            }
        }
    }
}
