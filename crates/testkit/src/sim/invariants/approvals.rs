//! Approvals: asked once, answered once, and nothing runs without them.

use std::collections::{BTreeMap, BTreeSet};

use codewhale_protocol::runtime::ApprovalDecision::Deny;
use codewhale_protocol::runtime::{ApprovalId, Event, RuntimeEventEnvelope};
use serde_json::Value;

use super::{Case, Verdict, expect};
use crate::sim::evidence::ThreadEvidence;

pub(super) fn an_approval_is_answered_at_most_once(case: &Case<'_>) -> Verdict {
    let mut answers: BTreeMap<&ApprovalId, Vec<_>> = BTreeMap::new();
    let mut asked = BTreeSet::new();
    for (_, event) in case.evidence.threads.iter().flat_map(own_events) {
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

/// The events of a thread without the questions that its sub-agents ask there.
fn own_events(thread: &ThreadEvidence) -> impl Iterator<Item = &(RuntimeEventEnvelope, Event)> {
    let foreign: BTreeSet<&ApprovalId> = thread
        .events
        .iter()
        .filter_map(|(_, event)| match event {
            Event::ApprovalRequired(required) => required.asked_by.as_ref().map(|_| &required.id),
            _ => None,
        })
        .collect();
    thread.events.iter().filter(move |(_, event)| match event {
        Event::ApprovalRequired(required) => !foreign.contains(&required.id),
        Event::ApprovalDecided(decided) => !foreign.contains(&decided.approval_id),
        _ => true,
    })
}

pub(super) fn a_question_of_a_sub_agent_is_asked_and_settled_at_the_top_as_well(
    case: &Case<'_>,
) -> Verdict {
    let about = |thread: &ThreadEvidence| -> Vec<String> {
        let of_question = |event: &Event| match event {
            Event::ApprovalRequired(required) => Some(format!("asked {}", required.id)),
            Event::ApprovalDecided(decided) => Some(format!("settled {}", decided.approval_id)),
            Event::UserInputRequired(required) => Some(format!("asked {}", required.id)),
            Event::UserInputAnswered(answered) => Some(format!("settled {}", answered.id)),
            Event::UserInputCanceled(canceled) => Some(format!("settled {}", canceled.id)),
            _ => None,
        };
        let told = thread
            .events
            .iter()
            .filter_map(|(_, event)| of_question(event));
        told.collect()
    };
    for thread in &case.evidence.threads {
        let root = thread.detail.thread.root_id.as_ref();
        let Some(root) = root.and_then(|root| case.evidence.thread(root)) else {
            continue;
        };
        let at_the_top = about(root);
        for line in about(thread) {
            expect(at_the_top.contains(&line), || {
                format!("{line} is not at the top")
            })?;
        }
    }
    Ok(())
}

pub(super) fn an_approval_waits_only_in_a_running_turn(case: &Case<'_>) -> Verdict {
    for thread in &case.evidence.threads {
        for pending in &thread.detail.pending_approvals {
            let asking = pending
                .asked_by
                .as_ref()
                .map_or(&thread.id, |by| &by.thread_id);
            let asking = case.evidence.thread(asking);
            let running = asking
                .and_then(ThreadEvidence::unfinished)
                .map(|turn| &turn.id);
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
