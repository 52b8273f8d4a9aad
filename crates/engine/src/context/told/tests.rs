use codewhale_protocol::runtime::{InputPart, Mode, Timestamp};

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
        Message::User { text, .. } => format!("user {text}"),
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
            ..
        } => {
            format!(
                "tool {call_id} {success} {}",
                &output[..output.len().min(12)]
            )
        }
    };
    conversation(items, &TurnMetas::new())
        .iter()
        .map(line)
        .collect()
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
    let told = conversation(
        [&item(UserMessage, Completed, 0, "go"), &cut],
        &TurnMetas::new(),
    );
    let Message::Tool { output, .. } = &told[2] else {
        panic!("{told:?}")
    };
    assert_eq!(output, NO_EFFECT);
}

#[test]
fn what_a_summary_does_not_cover_comes_behind_the_next_answer() {
    let mut summary = item(ItemKind::ContextCompaction, Completed, 2, "In short.");
    summary.metadata = Some(compaction_metadata(2, true, 1));
    let items = [
        item(UserMessage, Completed, 0, "go"),
        call("a", Completed, 1, "out a"),
        item(UserMessage, Completed, 0, "covered"),
        item(UserMessage, Completed, 0, "be quick"),
        summary,
        item(AgentMessage, Completed, 2, "I go on."),
        item(AgentMessage, Completed, 3, "Done."),
    ];
    assert_eq!(
        told(&items),
        [
            "user In short.",
            "assistant [] I go on. []",
            "user be quick",
            "assistant [] Done. []",
        ]
    );
}

#[test]
fn what_was_attached_is_told_with_what_was_said_and_with_its_summary() {
    let attached = |id: &str| InputPart::Image { id: id.into() };
    let mut said = item(UserMessage, Completed, 0, "Look\n\n[image 1]");
    said.input = Some(vec![InputPart::text("Look"), attached("att_1")]);
    let mut summary = item(ItemKind::ContextCompaction, Completed, 2, "In short.");
    summary.metadata = Some(json!({ "step": 2, "attachments": ["att_2"] }));
    let attachments = |items: &[TurnItemRecord]| {
        let told = conversation(items, &TurnMetas::new());
        let Some(Message::User { attachments, .. }) = told.first().cloned() else {
            panic!("{told:?}")
        };
        attachments
    };
    assert_eq!(attachments(&[said.clone()]), ["att_1".into()]);
    assert_eq!(attachments(&[said, summary]), ["att_2".into()]);
}

#[test]
fn what_people_said_ends_with_what_is_known_of_its_turn() {
    let meta = TurnMeta {
        local_date: "2026-01-31".into(),
        workspace: "/w".into(),
        mode: Mode::Agent,
        route: "p/m".into(),
    };
    let mut earlier = item(UserMessage, Completed, 0, "long ago");
    earlier.turn_id = "turn_0".into();
    let items = [
        earlier,
        item(UserMessage, Completed, 0, "go"),
        item(ItemKind::ContextCompaction, Completed, 1, "In short."),
    ];
    let turns = TurnMetas::from([("turn_1".into(), meta.clone())]);
    let user = |text: &str, meta| Message::user(with_meta(text, meta));
    assert_eq!(
        conversation(&items[..2], &turns),
        [user("long ago", None), user("go", Some(&meta))]
    );
    assert_eq!(
        conversation(&items, &turns),
        [user("In short.", Some(&meta))]
    );
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
            Message::User { text, .. } => text.trim().is_empty(),
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
                let told = conversation(&rest[..cut], &TurnMetas::new());
                prop_assert_eq!(refusal(&told), None, "{:?}", told);
                prop_assert_eq!(&told, &conversation(&rest[..cut], &TurnMetas::new()));
            }
        }
    }
}
