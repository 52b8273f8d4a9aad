//! The figures: what each is called, in what it is counted, and what it may cost.
//!
//! Bounds are those of `ARCHITECTURE.md`. Where that says "costs the same" or "is not slowed", the
//! bound is a ratio within one run with room for noise.

/// One line of the table.
pub(super) struct Figure {
    /// How programs that compare runs know it.
    pub(super) id: &'static str,
    /// How people know it.
    pub(super) title: &'static str,
    pub(super) unit: Unit,
    pub(super) budget: Budget,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Unit {
    Milliseconds,
    Microseconds,
    PerSecond,
    Megabytes,
    Times,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Budget {
    /// Shown, not judged.
    Free,
    AtMost(f64),
    /// The median, and the 99th percentile.
    AtMostTail(f64, f64),
    AtLeast(f64),
}

/// The same cost, with room for noise: differences under 15 % mean nothing on a small machine.
const SAME: Budget = AtMost(1.25);
/// The same speed, likewise.
const FLAT: Budget = AtLeast(0.8);
/// From the start of the process to its first answer, whatever the store holds.
const START: Budget = AtMost(15.0);

/// A program that another starts for one answer.
const DOOR: Budget = AtMost(40.0);

use Budget::{AtLeast, AtMost, AtMostTail, Free};
use Unit::{Megabytes, Microseconds, Milliseconds, PerSecond, Times};

const fn figure(id: &'static str, title: &'static str, unit: Unit, budget: Budget) -> Figure {
    Figure {
        id,
        title,
        unit,
        budget,
    }
}

/// In the order they are shown.
#[rustfmt::skip]
pub(super) const FIGURES: &[Figure] = &[
    figure("start.new", "start to health, no store yet", Milliseconds, START),
    figure("start.clean", "start to health, small store, clean end", Milliseconds, START),
    figure("start.killed", "start to health, small store, kill -9 in a turn", Milliseconds, START),
    figure("start.large.clean", "start to health, 1 GB store, clean end", Milliseconds, START),
    figure("start.large.killed", "start to health, 1 GB store, kill -9 in a turn", Milliseconds, START),
    figure("start.stdio", "start to the first answer, control protocol", Milliseconds, DOOR),
    figure("start.acp", "start to the first answer, editors", Milliseconds, DOOR),
    figure("start.mcp", "start to the first answer, MCP clients", Milliseconds, DOOR),
    figure("start.agents", "start to the first answer, other agents", Milliseconds, DOOR),
    figure("exec", "exec with the offline model, start to exit", Milliseconds, DOOR),
    figure("memory.idle", "idle resident memory", Megabytes, AtMost(20.0)),
    figure("memory.idle.large", "idle resident memory, 1 GB store", Megabytes, AtMost(20.0)),
    figure("memory.after", "resident memory after the streams", Megabytes, AtMost(50.0)),
    figure("memory.after.unmerged", "  unmerged", Megabytes, AtMost(50.0)),
    figure("memory.stalled", "most memory with 500 stalled readers", Megabytes, AtMost(120.0)),
    figure("memory.stalled.unmerged", "  unmerged", Megabytes, AtMost(120.0)),
    figure("memory.left.unmerged", "  unmerged, after they left", Megabytes, Free),
    figure("first_delta", "POST of a turn to first delta", Milliseconds, AtMostTail(3.0, 8.0)),
    figure("age", "age of a delta, model paced at 2 ms", Milliseconds, AtMostTail(0.3, 1.0)),
    figure("alone", "deltas/s flat out, 1 thread", PerSecond, AtLeast(150_000.0)),
    figure("alone.unmerged", "  unmerged", PerSecond, AtLeast(80_000.0)),
    figure("eight", "deltas/s flat out, 8 threads", PerSecond, AtLeast(120_000.0)),
    figure("eight.unmerged", "  unmerged", PerSecond, Free),
    figure("crowd", "deltas/s flat out, 64 threads", PerSecond, AtLeast(120_000.0)),
    figure("crowd.unmerged", "  unmerged", PerSecond, Free),
    figure("flat", "64 threads against 8", Times, FLAT),
    figure("flat.unmerged", "  unmerged", Times, FLAT),
    figure("cpu", "CPU of the server per delta, 1 thread", Microseconds, Free),
    figure("cpu.unmerged", "  unmerged", Microseconds, Free),
    figure("log", "longest write-ahead log of the streams", Megabytes, AtMost(16.0)),
    figure("log.unmerged", "  unmerged", Megabytes, AtMost(16.0)),
    figure("create", "create a thread", Milliseconds, AtMost(0.7)),
    figure("list", "list 50 of 300 threads", Milliseconds, AtMost(0.5)),
    figure("list.large", "list 50 of 100,000 threads", Milliseconds, AtMost(2.0)),
    figure("summary", "summaries of 50 of 300 threads", Milliseconds, Free),
    figure("summary.large", "summaries of 50 of 100,000 threads", Milliseconds, Free),
    figure("summary.cold", "first summary of 50 threads in 10 repositories", Milliseconds, AtMost(100.0)),
    figure("list.sessions", "list 50 of 100,000 sessions", Milliseconds, AtMost(5.0)),
    figure("list.tasks", "list 50 of 100,000 tasks", Milliseconds, AtMost(5.0)),
    figure("list.runs", "list 50 of 100,000 runs of an automation", Milliseconds, AtMost(5.0)),
    figure("usage.day", "usage of a year by day", Milliseconds, AtMost(50.0)),
    figure("usage.model", "  by model", Milliseconds, AtMost(50.0)),
    figure("usage.thread", "  by thread", Milliseconds, AtMost(50.0)),
    figure("usage.part", "  of ten months that begin and end within a day", Milliseconds, AtMost(50.0)),
    figure("replay", "replay of a 100,000-event thread, events/s", PerSecond, AtLeast(400_000.0)),
    figure("stalled.filling", "turn while 500 readers that do not read fill up", Times, Free),
    figure("stalled.filling.unmerged", "  unmerged", Times, Free),
    figure("stalled.turn", "turn with 500 stalled readers against 1 reader", Times, SAME),
    figure("stalled.turn.unmerged", "  unmerged", Times, SAME),
    figure("readers.turn", "turn with 500 readers against 1", Times, Free),
    figure("readers.cpu", "CPU of the server with 500 readers against 1", Times, Free),
    figure("readers.byte", "CPU of the server per MB sent to 500 readers", Milliseconds, Free),
    figure("thousand.accept", "turn 1,000 against turn 10: POST to 201", Times, SAME),
    figure("thousand.turn", "  POST to the end of the turn", Times, Free),
    figure("thousand.cpu", "  CPU of the server", Times, SAME),
    figure("thousand.cold", "first turn after a load, 1,000 turns against 10", Times, Free),
    figure("walls.open", "a command that does nothing, without walls", Milliseconds, Free),
    figure("walls.more", "  more between walls", Milliseconds, AtMost(5.0)),
    figure("binary", "size of the binary", Megabytes, AtMost(30.0)),
];

impl Budget {
    /// Whether it is kept; nothing when there is none.
    pub(super) fn is_kept(self, median: f64, p99: Option<f64>) -> Option<bool> {
        match self {
            Free => None,
            AtMost(most) => Some(median <= most),
            AtMostTail(most, tail) => Some(median <= most && p99.is_none_or(|p99| p99 <= tail)),
            AtLeast(least) => Some(median >= least),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_two_figures_share_an_id() {
        let ids: BTreeSet<_> = FIGURES.iter().map(|figure| figure.id).collect();
        assert_eq!(ids.len(), FIGURES.len());
    }

    #[test]
    fn a_budget_is_kept_by_the_median_and_by_the_tail() {
        assert_eq!(Free.is_kept(1e9, None), None);
        assert_eq!(AtMost(3.0).is_kept(3.0, Some(99.0)), Some(true));
        assert_eq!(AtMost(3.0).is_kept(3.1, None), Some(false));
        assert_eq!(AtLeast(3.0).is_kept(2.9, None), Some(false));
        assert_eq!(AtMostTail(3.0, 8.0).is_kept(2.0, Some(8.0)), Some(true));
        assert_eq!(AtMostTail(3.0, 8.0).is_kept(2.0, Some(8.1)), Some(false));
        assert_eq!(AtMostTail(3.0, 8.0).is_kept(3.1, Some(8.0)), Some(false));
        assert_eq!(AtMostTail(3.0, 8.0).is_kept(2.0, None), Some(true));
    }
}
