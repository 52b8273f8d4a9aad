use codewhale_protocol::ActorId;
use codewhale_protocol::runtime::{Timestamp, TurnId};
use serde_json::{Value, json};

use super::*;

fn item(kind: ItemKind, status: ItemStatus) -> TurnItemRecord {
    let by = ActorId::from("actor");
    let at = Timestamp::from_ms(0);
    let mut item = TurnItemRecord::new("item_1".into(), TurnId::from("turn_1"), kind, by, at);
    item.status = status;
    item
}

fn call(name: &str, input: Value, status: ItemStatus) -> TurnItemRecord {
    let kind = match name {
        "exec_shell" => ItemKind::CommandExecution,
        "edit_file" | "write_file" => ItemKind::FileChange,
        _ => ItemKind::ToolCall,
    };
    let mut item = item(kind, status);
    item.summary = format!("{name}: it");
    item.metadata = Some(json!({ "tool": { "id": "call_1", "name": name, "input": input } }));
    item
}

fn show() -> Show {
    Show::new("/home/you", false, false)
}

fn json(update: Option<Update>) -> Value {
    serde_json::to_value(update).unwrap()
}

#[test]
fn text_that_was_shown_piece_by_piece_is_not_shown_again_at_the_end() {
    let mut show = show();
    let id = ItemId::from("item_1");
    let piece = show.more(&id, ItemKind::AgentMessage, "Hel");
    assert_eq!(json(piece)["sessionUpdate"], "agent_message_chunk");
    let mut whole = item(ItemKind::AgentMessage, ItemStatus::Completed);
    whole.detail = Some("Hello".to_owned());
    assert_eq!(show.over(&whole), None);
    // Nobody saw it begin.
    assert_eq!(json(show.over(&whole))["content"]["text"], "Hello");
}

#[test]
fn an_edit_shows_each_old_text_with_the_new_one_and_keeps_it_when_it_worked() {
    let input = json!({ "path": "a.rs", "edits": [
        { "oldText": "one", "newText": "two" },
        { "search": "three", "replace": "" },
    ]});
    let mut show = show();
    let begun = json(show.begun(&call("edit_file", input.clone(), ItemStatus::InProgress)));
    assert_eq!(begun["sessionUpdate"], "tool_call");
    assert_eq!(begun["kind"], "edit");
    assert_eq!(begun["locations"], json!([{ "path": "/home/you/a.rs" }]));
    assert_eq!(
        begun["content"],
        json!([
            { "type": "diff", "path": "/home/you/a.rs", "oldText": "one", "newText": "two" },
            { "type": "diff", "path": "/home/you/a.rs", "oldText": "three", "newText": "" },
        ])
    );
    let mut done = call("edit_file", input, ItemStatus::Completed);
    done.detail = Some("edited".to_owned());
    let over = json(show.over(&done));
    assert_eq!(over["status"], "completed");
    assert_eq!(over.get("content"), None);
    done.status = ItemStatus::Failed;
    let failed = json(show.over(&done));
    assert_eq!(failed["content"][0]["content"]["text"], "edited");
}

#[test]
fn the_kind_of_a_call_follows_from_what_it_does() {
    let check = |name: &str, expected: &str| {
        let begun = show().begun(&call(name, json!({}), ItemStatus::InProgress));
        assert_eq!(json(begun)["kind"], expected, "{name}");
    };
    check("read_file", "read");
    check("grep_files", "search");
    check("exec_shell", "execute");
    check("write_file", "edit");
    check("fetch_url", "fetch");
    check("agent", "other");
    check("a_tool_of_someone", "other");
}

#[test]
fn the_list_of_steps_is_a_plan_and_no_call() {
    let mut show = show();
    assert_eq!(
        show.begun(&call("todo_write", json!({}), ItemStatus::InProgress)),
        None
    );
    let mut done = call("todo_write", json!({}), ItemStatus::Completed);
    done.metadata.as_mut().unwrap()["result"] = json!({ "todos": [
        { "content": "a", "status": "in_progress" },
        { "content": "b", "status": "cancelled" },
    ]});
    assert_eq!(
        json(show.over(&done)),
        json!({ "sessionUpdate": "plan", "entries": [
            { "content": "a", "priority": "medium", "status": "in_progress" },
        ]})
    );
}

#[test]
fn information_and_shortening_are_shown_as_such_only_to_clients_that_know_them() {
    let mut line = item(ItemKind::Status, ItemStatus::Completed);
    line.summary = "waiting".to_owned();
    let mut shortened = item(ItemKind::ContextCompaction, ItemStatus::Completed);
    shortened.summary = "Shortened".to_owned();
    let mut plain = show();
    assert_eq!(plain.over(&line), None);
    let told = json(plain.over(&shortened));
    assert_eq!(told["sessionUpdate"], "agent_message_chunk");
    let mut able = Show::new("/home/you", true, true);
    assert_eq!(json(able.over(&line))["sessionUpdate"], "notice");
    let told = json(able.over(&shortened));
    assert_eq!(told["sessionUpdate"], "compaction_update");
    assert_eq!(told["status"], "completed");
}

#[test]
fn a_failure_of_the_past_is_told_again() {
    let mut failure = item(ItemKind::Error, ItemStatus::Failed);
    failure.detail = Some("no key".to_owned());
    let told = json(show().again(&failure));
    assert_eq!(told["content"]["text"], "no key");
    // While it happens the prompt is answered with it.
    assert_eq!(show().over(&failure), None);
}

#[test]
fn a_long_result_is_cut_between_characters() {
    let mut done = call("exec_shell", json!({}), ItemStatus::Completed);
    done.detail = Some("é".repeat(crate::limits::RESULT_BYTES_MAX));
    let over = json(show().over(&done));
    let text = over["content"][0]["content"]["text"].as_str().unwrap();
    assert!(text.ends_with("[cut here; the whole is in the thread]"));
    assert!(text.len() < crate::limits::RESULT_BYTES_MAX + 100);
}
