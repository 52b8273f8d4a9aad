//! Turns: each ends once, whatever happens to the process that runs it.

use std::collections::{BTreeMap, BTreeSet};

use codewhale_protocol::runtime::{Event, ItemKind, TurnId, TurnStatus};

use super::{Case, Verdict, expect};
use crate::sim::evidence::ThreadEvidence;
use crate::sim::journal::tag_of;

pub(super) fn a_turn_ends_once_and_its_end_is_its_last_event(case: &Case<'_>) -> Verdict {
    for thread in &case.evidence.threads {
        let mut ended: BTreeMap<&TurnId, TurnStatus> = BTreeMap::new();
        let mut begun: BTreeSet<&TurnId> = BTreeSet::new();
        for (envelope, event) in &thread.events {
            if let Some(turn) = &envelope.turn_id {
                expect(!ended.contains_key(turn), || {
                    format!("{} came behind the end of {turn}", envelope.event)
                })?;
            }
            match event {
                Event::TurnStarted(started) => {
                    expect(begun.insert(&started.turn.id), || {
                        format!("{} began twice", started.turn.id)
                    })?;
                }
                Event::TurnCompleted(completed) => {
                    ended.insert(&completed.turn.id, completed.turn.status);
                }
                _ => {}
            }
        }
        for turn in thread
            .detail
            .turns
            .iter()
            .filter(|turn| begun.contains(&turn.id))
        {
            let told = ended.get(&turn.id);
            let row = turn.status.is_terminal().then_some(&turn.status);
            expect(told == row, || {
                format!("{} ended as {told:?}, its row says {row:?}", turn.id)
            })?;
        }
    }
    Ok(())
}

pub(super) fn a_running_turn_has_an_owner(case: &Case<'_>) -> Verdict {
    for thread in &case.evidence.threads {
        let (turn, owner) = (thread.unfinished(), &thread.lease.owner);
        expect(turn.is_some() == owner.is_some(), || {
            format!("{owner:?} runs {:?}", turn.map(|turn| &turn.id))
        })?;
    }
    Ok(())
}

pub(super) fn what_was_accepted_is_in_the_log(case: &Case<'_>) -> Verdict {
    for accepted in &case.notes.accepted {
        let thread = case.evidence.thread(&accepted.thread);
        let mut items = thread.into_iter().flat_map(|thread| &thread.detail.items);
        let found = items.any(|item| {
            let text = item.detail.as_deref().unwrap_or_default();
            item.turn_id == accepted.turn
                && item.kind == ItemKind::UserMessage
                && tag_of(text) == accepted.tag
        });
        expect(found, || format!("{} is lost", accepted.tag))?;
    }
    Ok(())
}

pub(super) fn nothing_of_a_dead_process_is_in_progress(case: &Case<'_>) -> Verdict {
    for thread in &case.evidence.threads {
        if let Some(turn) = thread.unfinished() {
            expect(thread.owner_lives, || {
                format!("{} of {:?} goes on", turn.id, thread.lease.owner)
            })?;
        }
    }
    Ok(())
}

pub(super) fn every_turn_has_ended(case: &Case<'_>) -> Verdict {
    for thread in &case.evidence.threads {
        let turn = thread.unfinished();
        expect(turn.is_none(), || format!("{turn:#?}\n{}", story(thread)))?;
    }
    Ok(())
}

pub(super) fn every_lease_is_free(case: &Case<'_>) -> Verdict {
    for thread in &case.evidence.threads {
        let owner = &thread.lease.owner;
        expect(owner.is_none(), || format!("{owner:?} holds {}", thread.id))?;
    }
    Ok(())
}

pub(super) fn what_was_accepted_reached_the_model(case: &Case<'_>) -> Verdict {
    for accepted in &case.notes.accepted {
        let thread = case.evidence.thread(&accepted.thread);
        let mut turns = thread.into_iter().flat_map(|thread| &thread.detail.turns);
        let turn = turns.find(|turn| turn.id == accepted.turn);
        let completed = turn.is_some_and(|turn| turn.status == TurnStatus::Completed);
        expect(
            !completed || case.notes.heard.contains(&accepted.tag),
            || {
                format!(
                    "the turn completed, and no model ever read {}",
                    accepted.tag
                )
            },
        )?;
    }
    Ok(())
}

/// The names of a thread's events, for people.
fn story(thread: &ThreadEvidence) -> String {
    let lines = thread.events.iter().map(|(envelope, _)| {
        let about = envelope.item_id.as_ref().map(|id| id.as_str());
        format!(
            "{} {} {}",
            envelope.timestamp,
            envelope.event,
            about.unwrap_or_default()
        )
    });
    lines.collect::<Vec<_>>().join("\n")
}
