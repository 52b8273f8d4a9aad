//! Calls that clients run: told once, settled once, and only while their turn runs.

use std::collections::{BTreeMap, BTreeSet};

use codewhale_protocol::runtime::{AboutCall, ClientCallId, Event};

use super::{Case, Verdict, expect};
use crate::sim::evidence::ThreadEvidence;

pub(super) fn a_call_of_a_client_is_settled_at_most_once(case: &Case<'_>) -> Verdict {
    for thread in &case.evidence.threads {
        let mut open = BTreeSet::new();
        let mut settled = BTreeMap::<&ClientCallId, u32>::new();
        for (_, event) in &thread.events {
            if let Event::ToolCallRequested(requested) = event {
                let id = &requested.about.call_id;
                expect(open.insert(id), || format!("{id} again"))?;
            }
            if let Some(about) = settles(event) {
                let id = &about.call_id;
                expect(open.contains(id), || format!("{id} was never told"))?;
                *settled.entry(id).or_default() += 1;
            }
        }
        for (id, times) in settled {
            expect(times == 1, || format!("{id} was settled {times} times"))?;
        }
    }
    Ok(())
}

pub(super) fn a_call_of_a_client_waits_only_in_a_running_turn(case: &Case<'_>) -> Verdict {
    for thread in &case.evidence.threads {
        let running = ThreadEvidence::unfinished(thread).map(|turn| &turn.id);
        for call in &thread.detail.pending_dynamic_tool_calls {
            expect(Some(&call.about.turn_id) == running, || format!("{call:?}"))?;
        }
    }
    Ok(())
}

fn settles(event: &Event) -> Option<&AboutCall> {
    match event {
        Event::ToolCallResolved(it) => Some(&it.about),
        Event::ToolCallTimeout(it) => Some(&it.about),
        Event::ToolCallCanceled(it) => Some(&it.about),
        _ => None,
    }
}
