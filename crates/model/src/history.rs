//! Keeps a conversation such that every provider takes it: each call has exactly one result, right
//! behind the answer that made it.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::{Message, ToolCall};

/// Stands in for the result of a call that has none.
const NO_RESULT: &str = "The result of this call was lost. Whether it had an effect is not known: look before you \
     repeat it.";

/// The conversation with calls and results in pairs. One that has them already is given back as it
/// is; in any other, missing results are replaced, results without a call are left out, and what
/// stood between a call and its result moves behind it. The same conversation always gives the
/// same, and a longer one begins with it.
pub fn paired(messages: &[Message]) -> Cow<'_, [Message]> {
    if is_paired(messages) {
        Cow::Borrowed(messages)
    } else {
        Cow::Owned(repair(messages))
    }
}

fn is_paired(messages: &[Message]) -> bool {
    let mut due: Vec<&str> = Vec::new();
    for message in messages {
        match message {
            Message::Tool { call_id, .. } => {
                let Some(place) = due.iter().position(|id| id == call_id) else {
                    return false;
                };
                due.remove(place);
            }
            Message::User { .. } | Message::Assistant { .. } if !due.is_empty() => return false,
            Message::User { .. } => {}
            Message::Assistant { calls, .. } => {
                due.extend(calls.iter().map(|call| call.id.as_str()));
            }
        }
    }
    due.is_empty()
}

fn repair(messages: &[Message]) -> Vec<Message> {
    let is_answer = |message: &Message| matches!(message, Message::Assistant { .. });
    let mut repaired = Vec::with_capacity(messages.len());
    let mut rest = messages;
    while let Some((first, behind)) = rest.split_first() {
        let end = behind.iter().position(is_answer).unwrap_or(behind.len());
        let (following, next) = behind.split_at(end);
        rest = next;
        if !matches!(first, Message::Tool { .. }) {
            repaired.push(first.clone());
        }
        if let Message::Assistant { calls, .. } = first {
            repaired.extend(results(calls, following));
        }
        let others = following
            .iter()
            .filter(|message| !matches!(message, Message::Tool { .. }));
        repaired.extend(others.cloned());
    }
    repaired
}

/// One result for each call, in the order of the calls.
fn results(calls: &[ToolCall], following: &[Message]) -> Vec<Message> {
    let mut taken = BTreeSet::new();
    let mut result = |call: &ToolCall| {
        let is_its = |message: &Message| matches!(message, Message::Tool { call_id, .. } if *call_id == call.id);
        let found =
            (0..following.len()).find(|place| !taken.contains(place) && is_its(&following[*place]));
        let Some(place) = found else {
            return Message::Tool {
                call_id: call.id.clone(),
                output: NO_RESULT.to_owned(),
                success: false,
                attachments: Vec::new(),
            };
        };
        taken.insert(place);
        following[place].clone()
    };
    calls.iter().map(&mut result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(text: &str) -> Message {
        Message::user(text)
    }

    fn calls(ids: &[&str]) -> Message {
        let call = |id: &&str| ToolCall {
            id: (*id).into(),
            name: "now".into(),
            arguments: "{}".into(),
        };
        Message::Assistant {
            reasoning: String::new(),
            text: String::new(),
            calls: ids.iter().map(call).collect(),
        }
    }

    fn result(id: &str, output: &str) -> Message {
        Message::Tool {
            call_id: id.into(),
            output: output.into(),
            success: output != NO_RESULT,
            attachments: Vec::new(),
        }
    }

    #[test]
    fn a_conversation_in_pairs_is_left_alone() {
        let right = [
            user("Go"),
            calls(&["a", "b"]),
            result("b", "2"),
            result("a", "1"),
            calls(&["a"]),
            result("a", "3"),
            calls(&[]),
            user("Thanks"),
        ];
        assert!(matches!(paired(&right), Cow::Borrowed(_)));
        assert!(matches!(paired(&[]), Cow::Borrowed(_)));
    }

    #[test]
    fn calls_and_results_are_brought_together() {
        let lost = |id| result(id, NO_RESULT);
        let cases = [
            // Cut off, and gone on with a question.
            (
                vec![user("Go"), calls(&["a"]), user("And?")],
                vec![user("Go"), calls(&["a"]), lost("a"), user("And?")],
            ),
            (vec![calls(&["a"])], vec![calls(&["a"]), lost("a")]),
            (
                vec![calls(&["a"]), calls(&[])],
                vec![calls(&["a"]), lost("a"), calls(&[])],
            ),
            // Words between a call and its result.
            (
                vec![
                    calls(&["a", "b"]),
                    user("Wait"),
                    result("b", "2"),
                    result("a", "1"),
                ],
                vec![
                    calls(&["a", "b"]),
                    result("a", "1"),
                    result("b", "2"),
                    user("Wait"),
                ],
            ),
            // Results of nothing, and twice.
            (
                vec![
                    result("x", "0"),
                    user("Go"),
                    calls(&["a"]),
                    result("a", "1"),
                    result("a", "1"),
                ],
                vec![user("Go"), calls(&["a"]), result("a", "1")],
            ),
            // The same id twice.
            (
                vec![
                    calls(&["a", "a"]),
                    result("a", "1"),
                    user("Go"),
                    result("a", "2"),
                ],
                vec![
                    calls(&["a", "a"]),
                    result("a", "1"),
                    result("a", "2"),
                    user("Go"),
                ],
            ),
        ];
        for (wrong, expect) in cases {
            let repaired = paired(&wrong);
            assert_eq!(*repaired, expect, "{wrong:?}");
            assert!(is_paired(&repaired), "{wrong:?}");
        }
    }
}
