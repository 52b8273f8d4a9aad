//! The runtime under seeds: random histories with crashes, full disks, slow readers and a second
//! process, each checked all along the way and lived through twice.

use std::collections::BTreeSet;

use codewhale_protocol::operations::Op;
use codewhale_protocol::runtime::{Event, FleetNews};
use codewhale_testkit::long;
use codewhale_testkit::sim::{self, Report};
use serde_json::Value;

/// Parts that run side by side.
const PARTS: usize = 4;

#[test]
fn what_must_hold_holds_and_a_seed_repeats_itself_first_part() {
    live_through(0);
}

#[test]
fn what_must_hold_holds_and_a_seed_repeats_itself_second_part() {
    live_through(1);
}

#[test]
fn what_must_hold_holds_and_a_seed_repeats_itself_third_part() {
    live_through(2);
}

#[test]
fn what_must_hold_holds_and_a_seed_repeats_itself_fourth_part() {
    live_through(3);
}

fn live_through(part: usize) {
    for seed in (part..long::count(32, 320)).step_by(PARTS) {
        let seed = u64::try_from(seed).expect("a seed is small");
        let report = sim::run(seed).unwrap_or_else(|violation| panic!("{violation}"));
        let again = sim::run_blindly(seed).unwrap_or_else(|violation| panic!("{violation}"));
        assert_same(seed, &report, &again);
    }
}

/// Two lives of one seed left the same bytes behind, and everyone was told the same.
#[track_caller]
fn assert_same(seed: u64, one: &Report, other: &Report) {
    let told = one.journal.iter().zip(&other.journal);
    for (one, other) in told {
        assert_eq!(one, other, "seed {seed} went another way the second time");
    }
    for (stream, texts) in &one.logs {
        let others = other.logs.get(stream).map_or(&[][..], Vec::as_slice);
        for (one, other) in texts.iter().zip(others) {
            assert_eq!(one, other, "seed {seed} wrote something else to {stream}");
        }
    }
    assert!(one == other, "seed {seed} came to another end");
}

/// Histories that never come to an approval or a crash would prove nothing about them.
#[test]
fn the_histories_meet_every_operation_event_and_end() {
    let mut missing = wanted();
    for seed in 0..SEEDS_MAX {
        let met = met_by(seed);
        missing.retain(|it| !met.contains(it));
        if missing.is_empty() {
            return;
        }
    }
    panic!("{SEEDS_MAX} histories did not meet {missing:?}");
}

/// Rare things need many histories; the common ones are met by half of them.
const SEEDS_MAX: u64 = 96;

/// What one history came to.
fn met_by(seed: u64) -> BTreeSet<String> {
    let report = sim::run_blindly(seed).unwrap_or_else(|violation| panic!("{violation}"));
    let mut met: BTreeSet<String> = report.outcomes.into_keys().collect();
    for text in report.logs.values().flatten() {
        let event: Value = serde_json::from_str(text).expect("an event is JSON");
        let name = event["event"].as_str().unwrap_or_default();
        met.insert(name.to_owned());
        let payload = &event["payload"];
        match name {
            "turn.completed" => {
                met.insert(payload["turn"]["status"].to_string());
                met.insert(payload["turn"]["failure_class"].to_string());
                met.insert(format!("recovered {}", payload["recovered"]));
            }
            "item.completed" | "item.failed" | "item.canceled" => {
                let kind = payload["item"]["kind"].as_str().unwrap_or_default();
                met.insert(format!("{name} {kind}"));
            }
            "approval.decided" => {
                let word = |member: &str| payload[member].as_bool().unwrap_or(false);
                let [auto, timeout, expired] = ["auto", "timeout", "expired"].map(word);
                let decision = &payload["decision"];
                met.insert(format!("{decision} {auto} {timeout} {expired}"));
            }
            _ => {}
        }
    }
    met
}

/// What histories must come to.
fn wanted() -> Vec<String> {
    // The tools of a simulation run nothing that walls could stop.
    // Without files workers leave none.
    let beyond = ["sandbox.denied", "fleet.worker.artifact"];
    let events = Event::NAMES.iter().chain(FleetNews::NAMES);
    let events = events.filter(|name| !beyond.contains(name));
    // Without files there is nothing to restore and no memory; `runtime/undo.rs` has some, and the
    // scenarios of `memory` through the real program. What is taken away leaves no row that leads to
    // its log; `runtime/schedule.rs` takes some away. `runtime/fleet.rs` has evidence.
    let with_files = [
        Op::SnapshotsRestore,
        Op::MemoryList,
        Op::MemoryGet,
        Op::MemoryAdd,
        Op::MemoryClear,
        Op::AutomationsDelete,
        Op::FleetEvidence,
    ];
    let without_files = Op::ALL.iter().filter(|op| !with_files.contains(op));
    let served = without_files.map(|op| format!("{}: ok", op.row().name));
    let ends = [
        "\"completed\"",
        "\"failed\"",
        "\"interrupted\"",
        "recovered true",
        "\"authentication\"",
        "\"empty\"",
        "\"internal\"",
        "\"invalid_request\"",
        "\"network\"",
        "\"rate_limit\"",
        "\"restart\"",
        "\"storage\"",
        "\"timeout\"",
        "\"truncated\"",
        "\"allow\" false false false",
        "\"allow\" true false false",
        "\"deny\" false false false",
        "\"deny\" true false false",
        "\"deny\" true true false",
        "\"deny\" true false true",
        "item.completed context_compaction",
        "item.failed context_compaction",
        "item.canceled context_compaction",
        "threads/resume: Overloaded",
        "turns/start: Conflict",
        "turns/start: Forbidden",
        "turns/start: Unavailable",
        "approvals/decide: Conflict",
        "threads/get: NotFound",
    ];
    served
        .chain(events.map(|name| (*name).to_owned()))
        .chain(ends.map(str::to_owned))
        .collect()
}
