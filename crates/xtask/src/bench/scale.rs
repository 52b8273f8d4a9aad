//! How much of everything a run does.

/// Sizes of a run.
pub(super) struct Scale {
    /// Runs per figure; the figure is the median of them.
    pub(super) runs: usize,
    /// Samples of a latency in one run.
    pub(super) samples: usize,
    /// Deltas of a turn that streams alone, flat out.
    pub(super) deltas_alone: usize,
    /// Deltas of all turns together when many stream at once.
    pub(super) deltas_together: usize,
    /// Deltas of a turn that is paced.
    pub(super) deltas_paced: usize,
    /// Readers on one thread.
    pub(super) readers: usize,
    /// Threads of the small list.
    pub(super) threads_few: usize,
    /// Threads of the large store.
    pub(super) threads_many: usize,
    /// Events of the thread that is replayed.
    pub(super) events_long: usize,
    /// The late turn whose cost is compared.
    pub(super) turns_many: usize,
    /// Turns whose use is added up.
    pub(super) turns_used: usize,
    /// Turns measured on either side of that comparison.
    pub(super) turns_compared: usize,
}

impl Scale {
    /// What the budgets are about.
    pub(super) fn full() -> Self {
        Self {
            runs: 5,
            samples: 200,
            deltas_alone: 50_000,
            deltas_together: 160_000,
            deltas_paced: 500,
            readers: 500,
            threads_few: 300,
            threads_many: 100_000,
            events_long: 100_000,
            turns_many: 1_000,
            turns_used: 200_000,
            turns_compared: 20,
        }
    }

    /// Enough to see that everything works.
    pub(super) fn quick() -> Self {
        Self {
            runs: 1,
            samples: 20,
            deltas_alone: 5_000,
            deltas_together: 6_400,
            deltas_paced: 50,
            readers: 50,
            threads_few: 60,
            threads_many: 1_000,
            events_long: 5_000,
            turns_many: 100,
            turns_used: 2_000,
            turns_compared: 5,
        }
    }
}
