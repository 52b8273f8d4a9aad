//! Turn 1,000 of a thread against turn 10. The turns before are put into the store directly.

use std::time::Duration;

use anyhow::Result;
use codewhale_testkit::model_server::Reply;

use super::filler::Filler;
use super::model::Model;
use super::report::Report;
use super::samples::Samples;
use super::server::{Merging, Server};
use super::watch::{Pair, ms};
use super::{Bench, process};

/// The early turn.
const EARLY: usize = 10;

/// What the model says each time.
const ANSWER: &str = "Yes.";

/// Deltas of the turns before.
const DELTAS: usize = 2;

/// What a turn leaves to be done is done by then, and counts as its cost.
const AFTERWARDS: Duration = Duration::from_millis(2);

const FIGURES: [&str; 4] = [
    "thousand.accept",
    "thousand.turn",
    "thousand.cpu",
    "thousand.cold",
];

pub(super) async fn run(bench: &Bench, report: &mut Report) -> Result<()> {
    let mut ratios: [Samples; 4] = std::array::from_fn(|_| Samples::default());
    let mut shown = Vec::new();
    for run in 0..bench.scale.runs {
        let Some(threads) = prepared(bench, run).await? else {
            for id in FIGURES {
                report.skip(id, "its store is not ours");
            }
            return Ok(());
        };
        let model = Model::start()?;
        model.says(Reply::says(ANSWER));
        let site = bench.site(&format!("thousand-{run}"))?;
        let server = site.start(&model, Merging::On)?;
        let mut early = Side::open(&server, &threads.early).await?;
        let mut late = Side::open(&server, &threads.late).await?;
        for _ in 0..bench.scale.turns_compared {
            early.turn(&server).await?;
            late.turn(&server).await?;
        }
        server.end()?;
        let sides = early.costs().into_iter().zip(late.costs());
        for (ratio, (early, late)) in ratios.iter_mut().zip(sides.clone()) {
            ratio.value(late / early);
        }
        shown = sides
            .map(|(early, late)| format!("{early:.2} and {late:.2} ms"))
            .collect();
    }
    for ((id, ratio), shown) in FIGURES.into_iter().zip(ratios).zip(shown) {
        report.add(id, ratio, format!("last run {shown}"));
    }
    Ok(())
}

/// Threads that have all but their next turns.
struct Prepared {
    early: String,
    late: String,
}

async fn prepared(bench: &Bench, run: usize) -> Result<Option<Prepared>> {
    let model = Model::start()?;
    let site = bench.site(&format!("thousand-{run}"))?;
    let Some(mut filler) = Filler::open(&site, &model).await? else {
        return Ok(None);
    };
    let half = bench.scale.turns_compared / 2;
    let mut thread = async |turns: usize| {
        let mut thread = filler.thread().await;
        for _ in 0..turns.saturating_sub(half).max(1) {
            filler.turn(&mut thread, DELTAS).await;
        }
        thread.id().to_owned()
    };
    let early = thread(EARLY).await;
    let late = thread(bench.scale.turns_many).await;
    filler.close().await?;
    Ok(Some(Prepared { early, late }))
}

/// A thread and what its turns cost.
struct Side {
    pair: Pair,
    /// The first turn, for which the thread had to be loaded.
    cold: Duration,
    accepted: Vec<Duration>,
    whole: Vec<Duration>,
    cpu: Duration,
}

impl Side {
    async fn open(server: &Server, thread: &str) -> Result<Self> {
        let mut pair = Pair::of(server, thread).await?;
        let cold = pair.timed_turn(ANSWER.as_bytes()).await?.whole;
        Ok(Self {
            pair,
            cold,
            accepted: Vec::new(),
            whole: Vec::new(),
            cpu: Duration::ZERO,
        })
    }

    async fn turn(&mut self, server: &Server) -> Result<()> {
        let cpu = process::cpu_of_threads(server.pid())?;
        let timed = self.pair.timed_turn(ANSWER.as_bytes()).await?;
        tokio::time::sleep(AFTERWARDS).await;
        self.cpu += process::cpu_of_threads(server.pid())?.saturating_sub(cpu);
        self.accepted.push(timed.accepted);
        self.whole.push(timed.whole);
        Ok(())
    }

    /// Milliseconds, in the order of [`FIGURES`].
    fn costs(self) -> [f64; 4] {
        let count = self.whole.len().max(1) as f64;
        [
            median_ms(self.accepted),
            median_ms(self.whole),
            ms(self.cpu) / count,
            ms(self.cold),
        ]
    }
}

fn median_ms(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times
        .get(times.len() / 2)
        .map_or(f64::NAN, |time| ms(*time))
}
