//! Approvals: asked once, answered once, and nothing runs without them.

use std::collections::{BTreeMap, BTreeSet};

use codewhale_protocol::runtime::ApprovalDecision::Deny;
use codewhale_protocol::runtime::{ApprovalId, Event};
use serde_json::Value;

use super::{Case, Verdict, expect};

pub(super) fn an_approval_is_answered_at_most_once(case: &Case<'_>) -> Verdict {
    let mut answers: BTreeMap<&ApprovalId, Vec<_>> = BTreeMap::new();
    let mut asked = BTreeSet::new();
    for (_, event) in case.evidence.threads.iter().flat_map(|it| &it.events) {
        match event {
            Event::ApprovalRequired(required) => {
                expect(asked.insert(&required.id), || {
                    format!("{} again", required.id)
                })?;
            }
            Event::ApprovalDecided(decided) => {
                let id = &decided.approval_id;
                expect(asked.contains(id), || format!("{id} was never asked"))?;
                answers.entry(id).or_default().push(decided);
            }
            _ => {}
        }
    }
    for (id, decided) in &answers {
        expect(decided.len() == 1, || format!("{id}: {decided:?}"))?;
    }
    let mut told = BTreeSet::new();
    for (id, decision) in &case.notes.answers {
        expect(told.insert(id), || {
            format!("two answers to {id} were accepted")
        })?;
        let kept = answers.get(id).and_then(|decided| decided.first());
        expect(
            kept.is_some_and(|kept| kept.decision == *decision && !kept.auto),
            || format!("{decision:?} to {id} was accepted, and {kept:?} is kept"),
        )?;
    }
    Ok(())
}

pub(super) fn an_approval_waits_only_in_a_running_turn(case: &Case<'_>) -> Verdict {
    for thread in &case.evidence.threads {
        let running = thread.unfinished().map(|turn| &turn.id);
        for pending in &thread.detail.pending_approvals {
            expect(Some(&pending.turn_id) == running, || format!("{pending:?}"))?;
        }
    }
    Ok(())
}

pub(super) fn a_call_runs_once_and_only_when_it_was_allowed(case: &Case<'_>) -> Verdict {
    let mut refused = BTreeSet::new();
    for thread in &case.evidence.threads {
        let mut asked = BTreeMap::new();
        let mut numbers: BTreeMap<&str, u64> = BTreeMap::new();
        for (_, event) in &thread.events {
            match event {
                Event::ItemStarted(started) => {
                    if let Some(tool) = &started.tool
                        && let Some(number) = tool.input.get("number").and_then(Value::as_u64)
                    {
                        numbers.insert(&tool.id, number);
                    }
                }
                Event::ApprovalRequired(required) => {
                    asked.insert(&required.id, required.detail.call_id.as_str());
                }
                Event::ApprovalDecided(decided) => {
                    let call = asked.get(&decided.approval_id);
                    let number = call.and_then(|call| numbers.get(*call));
                    if decided.decision == Deny {
                        refused.extend(number.copied());
                    }
                }
                _ => {}
            }
        }
    }
    for (number, times) in case.notes.ran.iter().filter(|(number, _)| **number != 0) {
        expect(*times == 1, || format!("call {number} ran {times} times"))?;
        expect(!refused.contains(number), || {
            format!("call {number} was refused and ran")
        })?;
    }
    Ok(())
}

pub(super) fn no_approval_waits(case: &Case<'_>) -> Verdict {
    for thread in &case.evidence.threads {
        let pending = &thread.detail.pending_approvals;
        expect(pending.is_empty(), || format!("{pending:?}"))?;
    }
    Ok(())
}
