//! What a command prints is told twice: piece by piece while it runs, and by its result, which for
//! long outputs lacks the middle and for all of them says how the command ended.

use serde_json::Value;

use super::{ItemKind, ItemStatus, TurnItemRecord};

/// What closes the gap in the result of a long output.
const GAP_END: &str = " bytes left out ...]\n";

/// The part of a call's result that says something new to whoever was told all pieces.
///
/// A result that goes on where the pieces ended gives the rest of it. One that lacks the middle
/// gives what follows the last of its text that was told. A result that has nothing to do with the
/// pieces is all new.
pub fn untold<'a>(told: &str, result: &'a str) -> &'a str {
    if let Some(rest) = result.strip_prefix(told) {
        return rest;
    }
    let Some(gap) = result.rfind(GAP_END) else {
        return result;
    };
    let tail = &result[gap + GAP_END.len()..];
    let mut ends = (0..=tail.len())
        .rev()
        .filter(|end| tail.is_char_boundary(*end));
    let known = ends.find(|end| told.ends_with(&tail[..*end]));
    &tail[known.unwrap_or_default()..]
}

/// What a program ends with that shows this call and nothing else: as the command did, or as a shell
/// would put it.
pub fn exit_code(call: &TurnItemRecord) -> u8 {
    let facts = call.metadata.as_ref().and_then(|it| it.get("result"));
    let number = |name: &str| facts.and_then(|facts| facts.get(name)?.as_i64());
    let timed_out = facts.and_then(|facts| facts.get("timed_out")?.as_bool());
    match (number("exit_code"), number("signal"), timed_out) {
        (Some(code), ..) => code as u8,
        (None, Some(signal), _) => (128 + signal) as u8,
        (None, None, Some(true)) => 124,
        (None, None, Some(false) | None) => u8::from(call.status != ItemStatus::Completed),
    }
}

/// Whether a call is a command that is waited for, so that there is something to watch.
pub fn is_watched_command(call: &TurnItemRecord) -> bool {
    let input = call
        .metadata
        .as_ref()
        .and_then(|it| it.get("tool")?.get("input"));
    let member = |name: &str| input.and_then(|input| input.get(name));
    call.kind == ItemKind::CommandExecution
        && member("command").is_some_and(Value::is_string)
        && member("background").and_then(Value::as_bool) != Some(true)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{exit_code, is_watched_command, untold};
    use crate::runtime::{ItemKind, ItemStatus, Timestamp, TurnItemRecord};

    fn command(metadata: Value) -> TurnItemRecord {
        let (by, now) = ("act_1".into(), Timestamp::from_ms(0));
        let kind = ItemKind::CommandExecution;
        let mut item = TurnItemRecord::new("item_1".into(), "turn_1".into(), kind, by, now);
        item.status = ItemStatus::Failed;
        item.metadata = Some(metadata);
        item
    }

    #[test]
    fn a_call_ends_as_its_command_did_or_as_a_shell_would_put_it() {
        let result = |facts: Value| exit_code(&command(json!({ "result": facts })));
        assert_eq!(result(json!({ "exit_code": 3 })), 3);
        assert_eq!(result(json!({ "exit_code": null, "signal": 9 })), 137);
        let timed_out = json!({ "exit_code": null, "signal": null, "timed_out": true });
        assert_eq!(result(timed_out), 124);
        assert_eq!(result(json!({ "error_category": "permission_denied" })), 1);
        assert_eq!(exit_code(&command(json!({}))), 1);
    }

    #[test]
    fn a_command_that_nobody_waits_for_is_not_watched() {
        let watched = |input: Value| {
            let item = command(json!({ "tool": { "name": "exec_shell", "input": input } }));
            is_watched_command(&item)
        };
        assert!(watched(json!({ "command": "make" })));
        assert!(watched(json!({ "command": "make", "background": false })));
        assert!(!watched(json!({ "command": "make", "background": true })));
        assert!(!watched(json!({ "action": "poll", "task_id": "task_1" })));
    }

    #[test]
    fn a_result_that_goes_on_gives_its_rest() {
        assert_eq!(untold("", "all\n[exit code 0]"), "all\n[exit code 0]");
        assert_eq!(untold("all\n", "all\n[exit code 0]"), "[exit code 0]");
        assert_eq!(untold("all", "all\n[exit code 1]"), "\n[exit code 1]");
    }

    #[test]
    fn a_result_without_its_middle_gives_what_follows_what_was_told() {
        let result = "1\n\n[... 6 bytes left out ...]\n5\né\n[exit code 0]";
        assert_eq!(untold("1\n2\n3\n4\n5\né\n", result), "[exit code 0]");
        assert_eq!(untold("1\n2\n3\n4\n5\né", result), "\n[exit code 0]");
    }

    #[test]
    fn pieces_that_stopped_early_are_followed_by_the_end_of_the_result() {
        let result = "1\n\n[... 60 bytes left out ...]\n5\n6\n[exit code 0]";
        assert_eq!(untold("1\n2\n[cut]\n", result), "5\n6\n[exit code 0]");
    }

    #[test]
    fn a_result_of_its_own_is_told_whole() {
        let cut_off = "The call was cut off: the turn was stopped.";
        assert_eq!(untold("some output\n", cut_off), cut_off);
    }
}
