//! What must hold whatever happens. Each function is a sentence; it fails with what speaks against
//! it.

mod agents;
mod approvals;
mod calls;
mod fleets;
mod log;
mod rows;
mod tasks;
mod turns;

use std::sync::Arc;

use super::evidence::{Evidence, Ledger};
use super::follower::Session;
use super::journal::Notes;

/// When a look is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Moment {
    /// In the middle of things.
    Any,
    /// A process has just started.
    Restarted,
    /// Everything that was begun has had the time to end.
    Rest,
}

/// Everything an invariant can look at.
pub(crate) struct Case<'a> {
    pub(crate) evidence: &'a Evidence,
    pub(crate) before: &'a Ledger,
    pub(crate) notes: &'a Notes,
    pub(crate) sessions: &'a [Arc<Session>],
    /// The processes that live.
    pub(crate) alive: &'a [u32],
}

type Verdict = Result<(), String>;
type Invariant = (&'static str, fn(&Case<'_>) -> Verdict);

macro_rules! sentences {
    ($($name:path),* $(,)?) => { &[$((stringify!($name), $name as fn(&Case<'_>) -> Verdict)),*] };
}

const ALWAYS: &[Invariant] = sentences![
    nobody_complained,
    log::every_stream_is_a_chain_without_a_missing_link,
    log::nothing_disappears_from_the_log,
    log::seq_only_ever_grows,
    rows::folding_the_events_gives_the_rows_and_the_answers,
    turns::a_turn_ends_once_and_its_end_is_its_last_event,
    rows::no_item_of_a_finished_turn_is_open,
    approvals::an_approval_is_answered_at_most_once,
    approvals::an_approval_waits_only_in_a_running_turn,
    approvals::a_question_of_a_sub_agent_is_asked_and_settled_at_the_top_as_well,
    calls::a_call_of_a_client_is_settled_at_most_once,
    calls::a_call_of_a_client_waits_only_in_a_running_turn,
    agents::no_tree_grows_beyond_its_bounds,
    agents::a_sub_agent_may_no_more_than_its_parent,
    agents::a_receipt_says_how_the_last_turn_ended,
    tasks::a_task_that_was_accepted_is_kept,
    tasks::a_task_has_one_thread_and_begins_and_ends_with_one_turn_there,
    fleets::a_fleet_that_was_accepted_is_kept,
    fleets::every_attempt_of_a_fleet_ends_once,
    fleets::no_event_of_a_fleet_reads_as_one_of_a_thread,
    turns::a_running_turn_has_an_owner,
    rows::counters_equal_a_fold_of_the_log,
    log::a_follower_sees_each_event_once_and_in_order,
    turns::what_was_accepted_is_in_the_log,
    approvals::a_call_runs_once_and_only_when_it_was_allowed,
];

const AFTER_A_RESTART: &[Invariant] = sentences![
    turns::nothing_of_a_dead_process_is_in_progress,
    fleets::no_fleet_is_driven_by_a_dead_process,
];

const AT_REST: &[Invariant] = sentences![
    turns::nothing_of_a_dead_process_is_in_progress,
    turns::every_turn_has_ended,
    turns::every_lease_is_free,
    approvals::no_approval_waits,
    agents::no_sub_agent_counts_as_at_work,
    tasks::every_task_has_ended,
    fleets::no_fleet_is_driven,
    turns::what_was_accepted_reached_the_model,
    log::no_secret_is_stored,
    log::a_follower_who_stays_sees_everything,
];

/// Checks everything that must hold at this moment.
pub(crate) fn check(case: &Case<'_>, moment: Moment) -> Verdict {
    let besides: &[Invariant] = match moment {
        Moment::Any => &[],
        Moment::Restarted => AFTER_A_RESTART,
        Moment::Rest => AT_REST,
    };
    for (name, holds) in ALWAYS.iter().chain(besides) {
        let sentence = name.rsplit("::").next().unwrap_or(name).replace('_', " ");
        holds(case).map_err(|why| format!("not true ({moment:?}): {sentence}\n{why}"))?;
    }
    Ok(())
}

fn nobody_complained(case: &Case<'_>) -> Verdict {
    case.notes.complaints.first().cloned().map_or(Ok(()), Err)
}

/// Fails with the reason when something does not hold.
fn expect(holds: bool, why: impl FnOnce() -> String) -> Verdict {
    if holds { Ok(()) } else { Err(why()) }
}
