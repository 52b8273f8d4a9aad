//! `sim`: one history of the simulation, told line by line; many, told by their number.

use std::ops::Range;

use anyhow::Result;
use clap::Args;
use codewhale_testkit::sim::{self, Report};

#[derive(Args)]
pub(crate) struct Options {
    /// The seed to live through
    seed: u64,
    /// How many seeds to live through, this one the first; more than one tells only the counts
    #[arg(long, default_value_t = 1)]
    count: u64,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let seeds = seeds(options);
    let is_one = options.count == 1;
    for seed in seeds {
        let report = sim::run(seed)?;
        if is_one {
            tell(&report);
        }
        let events: usize = report.logs.values().map(Vec::len).sum();
        println!("seed {seed}: everything held over {events} events");
    }
    Ok(())
}

fn seeds(options: &Options) -> Range<u64> {
    options.seed..options.seed.saturating_add(options.count)
}

fn tell(report: &Report) {
    for line in &report.journal {
        println!("{line}");
    }
    for (outcome, count) in &report.outcomes {
        println!("{count:>6}  {outcome}");
    }
}
