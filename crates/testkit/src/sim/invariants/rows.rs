//! The rows: what the events tell, and nothing else.

use std::collections::BTreeSet;
use std::fmt::Debug;

use codewhale_protocol::runtime::{
    Event, ItemKind, Seq, Standing, ThreadDetail, ThreadRecord, ThreadView, project,
};
use codewhale_protocol::{Redactor, Secret};
use codewhale_store::SubjectState;

use super::{Case, Verdict, expect};
use crate::sim::evidence::ThreadEvidence;
use crate::sim::journal::{Patched, SECRET};

pub(super) fn folding_the_events_gives_the_rows_and_the_answers(case: &Case<'_>) -> Verdict {
    for thread in &case.evidence.threads {
        let Some(story) = Story::of(thread, case)? else {
            continue;
        };
        let (mut folded, mut stored) = (story.end.clone(), Some(thread.detail.clone()));
        // An item whose beginning a full disk has lost came into the log by its end.
        if has_lost_beginnings(thread) {
            for detail in [&mut folded, &mut stored].into_iter().flatten() {
                detail.items.sort_by(|a, b| a.id.cmp(&b.id));
            }
        }
        expect(folded == stored, || difference(&folded, &stored))?;
        let patched = case.notes.patched.iter();
        for patched in patched.filter(|patched| patched.thread.id == thread.id) {
            story.tells(patched)?;
        }
    }
    Ok(())
}

pub(super) fn counters_equal_a_fold_of_the_log(case: &Case<'_>) -> Verdict {
    for thread in &case.evidence.threads {
        let mut folded = SubjectState::default();
        for (envelope, event) in &thread.events {
            let Some(change) = project(event) else {
                continue;
            };
            folded.active += change.active;
            folded.waiting += change.waiting;
            match change.standing {
                None => {}
                Some(Standing::Open) => (folded.failed, folded.completed) = (0, 0),
                Some(Standing::Failed) => (folded.failed, folded.completed) = (1, 0),
                Some(Standing::Completed) => (folded.failed, folded.completed) = (0, 1),
            }
            folded.last_seq = envelope.seq;
        }
        expect(folded == thread.counters, || {
            format!("{}: {folded:?} and {:?}", thread.id, thread.counters)
        })?;
    }
    Ok(())
}

pub(super) fn no_item_of_a_finished_turn_is_open(case: &Case<'_>) -> Verdict {
    for thread in &case.evidence.threads {
        for item in &thread.detail.items {
            let turn = thread
                .detail
                .turns
                .iter()
                .find(|turn| turn.id == item.turn_id);
            let over = turn.is_none_or(|turn| turn.status.is_terminal());
            expect(!over || item.status.is_terminal(), || format!("{item:#?}"))?;
        }
    }
    Ok(())
}

/// What the events of a thread tell, one after the other.
struct Story {
    /// Where it begins.
    begin: Seq,
    /// The thread before each event, with the place of that event.
    states: Vec<(Seq, ThreadRecord)>,
    end: Option<ThreadDetail>,
}

impl Story {
    /// `None` for a copy that nobody has looked at yet, because the answer of the copying was lost
    /// in a crash.
    fn of(thread: &ThreadEvidence, case: &Case<'_>) -> Result<Option<Self>, String> {
        let copied = case.notes.forks.get(&thread.id);
        let copied = copied.or_else(|| case.before.forks.get(&thread.id));
        let mut view = match (thread.is_fork(), copied) {
            (false, _) => ThreadView::default(),
            (true, Some(copied)) => ThreadView::from(copied.clone()),
            (true, None) => return Ok(None),
        };
        let begin = view.latest_seq;
        let mut states = Vec::new();
        for (envelope, _) in &thread.events {
            states.extend(view.thread.clone().map(|state| (envelope.seq, state)));
            view.apply(envelope).map_err(|error| error.to_string())?;
        }
        states.extend(view.thread.clone().map(|state| (Seq(u64::MAX), state)));
        let end = view.into_detail();
        Ok(Some(Self { begin, states, end }))
    }

    /// The answer to a change of settings shows a state that the thread had then, not an older one.
    fn tells(&self, patched: &Patched) -> Verdict {
        if patched.since < self.begin {
            return Ok(());
        }
        let redactor = Redactor::new(&[Secret::new(SECRET)]);
        let masked = redactor.seal_json(&patched.thread);
        let answer = serde_json::from_str(masked.as_str()).ok();
        let mut since = self
            .states
            .iter()
            .filter(|(until, _)| *until > patched.since);
        expect(
            since.any(|(_, state)| Some(state) == answer.as_ref()),
            || format!("{answer:#?} was never true behind {}", patched.since),
        )
    }
}

fn has_lost_beginnings(thread: &ThreadEvidence) -> bool {
    let mut begun = BTreeSet::new();
    for (_, event) in &thread.events {
        match event {
            Event::ItemStarted(started) => {
                begun.insert(&started.item.id);
            }
            Event::ItemCompleted(ended)
            | Event::ItemFailed(ended)
            | Event::ItemInterrupted(ended)
            | Event::ItemCanceled(ended) => {
                let whole = matches!(
                    ended.item.kind,
                    ItemKind::UserMessage | ItemKind::Status | ItemKind::Error
                );
                if !whole && !begun.contains(&ended.item.id) {
                    return true;
                }
            }
            _ => {}
        }
    }
    false
}

/// The lines in which two values differ when they are printed.
fn difference(left: &impl Debug, right: &impl Debug) -> String {
    let (left, right) = (format!("{left:#?}"), format!("{right:#?}"));
    let (mut folded, mut stored): (Vec<_>, Vec<_>) =
        (left.lines().collect(), right.lines().collect());
    let same = folded
        .iter()
        .zip(&stored)
        .take_while(|(a, b)| a == b)
        .count();
    folded.drain(..same.saturating_sub(12));
    stored.drain(..same.saturating_sub(12));
    folded.truncate(40);
    stored.truncate(40);
    format!(
        "folded:\n{}\n\nstored:\n{}",
        folded.join("\n"),
        stored.join("\n")
    )
}
