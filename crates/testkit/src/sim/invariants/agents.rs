//! Sub-agents: bounded, no freer than who started them, and each with an honest receipt.

use std::collections::BTreeMap;

use codewhale_protocol::runtime::{AgentRunStatus, Event, ThreadId, TurnStatus};

use super::{Case, Verdict, expect};
use crate::sim::process::{ADMITTED_MAX, DEPTH_MAX, LIVE_MAX};

pub(super) fn no_tree_grows_beyond_its_bounds(case: &Case<'_>) -> Verdict {
    let mut trees: BTreeMap<&ThreadId, (u64, u64)> = BTreeMap::new();
    for stored in &case.evidence.runs {
        let (admitted, live) = trees.entry(&stored.kin.root).or_default();
        *admitted += 1;
        *live += u64::from(!stored.run.status.is_terminal());
        let depth = stored.run.spec.spawn_depth;
        expect(depth <= DEPTH_MAX, || {
            format!("{} is {depth} deep", stored.kin.thread)
        })?;
    }
    for (root, (admitted, live)) in trees {
        expect(admitted <= ADMITTED_MAX, || {
            format!("{root} has {admitted} agents")
        })?;
        expect(live <= LIVE_MAX, || {
            format!("{live} agents of {root} are at work")
        })?;
    }
    Ok(())
}

/// As they were made: what a person changes later is the person's.
pub(super) fn a_sub_agent_may_no_more_than_its_parent(case: &Case<'_>) -> Verdict {
    for thread in &case.evidence.threads {
        let Some((_, Event::ThreadStarted(started))) = thread.events.first() else {
            continue;
        };
        let Some(parent) = &started.thread.parent_id else {
            continue;
        };
        let parent = case.evidence.thread(parent);
        let spawned = parent.into_iter().flat_map(|parent| &parent.events).find(|(_, event)| {
            matches!(event, Event::AgentSpawned(news) if news.agent_thread_id == thread.id)
        });
        let Some((envelope, _)) = spawned else {
            return Err(format!("{} was started and nobody told", thread.id));
        };
        let turns = parent.into_iter().flat_map(|parent| &parent.detail.turns);
        let mut turn = turns.filter(|turn| Some(&turn.id) == envelope.turn_id.as_ref());
        let by = turn.next().and_then(|turn| turn.permission_posture);
        let own = started.thread.permission().posture;
        let allowed = by.map(|by| codewhale_protocol::runtime::Permission {
            posture: by,
            ..started.thread.permission()
        });
        let loosens = allowed.is_none_or(|allowed| started.thread.permission().loosens(allowed));
        // A person may have changed the posture of the parent while its turn ran.
        let changed = parent.into_iter().flat_map(|parent| &parent.events);
        let mut changed = changed.filter(|(_, event)| matches!(event, Event::ThreadUpdated(_)));
        expect(!loosens || changed.next().is_some(), || {
            format!("{} is {own:?}, started under {by:?}", thread.id)
        })?;
    }
    Ok(())
}

pub(super) fn a_receipt_says_how_the_last_turn_ended(case: &Case<'_>) -> Verdict {
    for stored in &case.evidence.runs {
        let thread = case.evidence.thread(&stored.kin.thread);
        let turn = thread.and_then(|thread| thread.detail.turns.last());
        let status = stored.run.status;
        let fits = match turn.map(|turn| turn.status) {
            None => status != AgentRunStatus::Completed,
            Some(TurnStatus::InProgress | TurnStatus::Queued) => !status.is_terminal(),
            Some(TurnStatus::Completed) => {
                matches!(status, AgentRunStatus::Completed | AgentRunStatus::Failed)
            }
            Some(TurnStatus::Failed) => status == AgentRunStatus::Failed,
            Some(TurnStatus::Interrupted | TurnStatus::Canceled) => {
                matches!(
                    status,
                    AgentRunStatus::Interrupted | AgentRunStatus::Cancelled
                )
            }
        };
        expect(fits, || {
            format!("{status:?} of {}: {turn:?}", stored.kin.thread)
        })?;
        let reported = stored.run.result_summary.is_some();
        expect(status != AgentRunStatus::Completed || reported, || {
            format!("{} completed without a report", stored.kin.thread)
        })?;
    }
    Ok(())
}

pub(super) fn no_sub_agent_counts_as_at_work(case: &Case<'_>) -> Verdict {
    for stored in &case.evidence.runs {
        expect(stored.run.status.is_terminal(), || {
            format!("{} counts as {:?}", stored.kin.thread, stored.run.status)
        })?;
    }
    Ok(())
}
