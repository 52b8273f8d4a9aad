//! Streaming flat out: one thread, eight, sixty-four.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use tokio::task::JoinSet;

use super::model::Model;
use super::report::{Report, grouped};
use super::samples::Samples;
use super::server::{Merging, Server};
use super::watch::{Pair, Seen};
use super::{Bench, WARM_UP, process};

/// Threads at once.
const FEW: usize = 8;
const MANY: usize = 64;

/// What is not needed any more has been given back by then.
const SETTLED: Duration = Duration::from_secs(1);

pub(super) async fn run(bench: &Bench, report: &mut Report) -> Result<()> {
    for merging in [Merging::On, Merging::Off] {
        let model = Model::start()?;
        let site = bench.site(&format!("streams-{merging:?}"))?;
        let server = site.start(&model, merging)?;
        let named = |id: &str| match merging {
            Merging::On => id.to_owned(),
            Merging::Off => format!("{id}.unmerged"),
        };
        let stage = Stage {
            server: &server,
            model: &model,
            runs: bench.scale.runs,
        };
        let alone = stage.alone(bench.scale.deltas_alone).await?;
        report.add(&named("alone"), alone.rates, alone.note);
        report.add(&named("cpu"), alone.cpu, alone.cpu_note);
        let together = stage.together(bench.scale.deltas_together).await?;
        report.add(&named("eight"), together.few, together.few_note);
        report.add(&named("crowd"), together.many, together.many_note);
        report.add(&named("flat"), together.ratio, "");
        tokio::time::sleep(SETTLED).await;
        let peak = process::peak_mb(server.pid())?;
        let resident = Samples::once(server.resident_mb()?);
        report.add(
            &named("memory.after"),
            resident,
            format!("peak {peak:.0} MB"),
        );
        match log_mb(&site.home) {
            Some(log) => report.add(&named("log"), Samples::once(log), ""),
            None => report.skip(&named("log"), "its store is not ours"),
        }
        server.end()?;
    }
    Ok(())
}

/// How long the write-ahead log has been at most: its file never shrinks while it is in use. What
/// lies in it when a process is killed is read at the next start.
fn log_mb(home: &Path) -> Option<f64> {
    let file = std::fs::metadata(home.join("runtime.db-wal")).ok()?;
    Some(file.len() as f64 / 1e6)
}

struct Stage<'a> {
    server: &'a Server,
    model: &'a Model,
    runs: usize,
}

struct Alone {
    rates: Samples,
    note: String,
    cpu: Samples,
    cpu_note: String,
}

struct Together {
    few: Samples,
    few_note: String,
    many: Samples,
    many_note: String,
    ratio: Samples,
}

/// A rate, and how many frames the deltas were merged into.
struct Rate {
    per_second: f64,
    frames: usize,
}

impl Stage<'_> {
    /// One turn at a time. CPU times come in hundredths of a second, so they are taken over all
    /// runs.
    async fn alone(&self, deltas: usize) -> Result<Alone> {
        let (mut rates, mut frames) = (Samples::default(), 0);
        let (mut server_cpu, mut tool_cpu) = (Duration::ZERO, Duration::ZERO);
        let started = Instant::now();
        for run in 0..self.runs + WARM_UP {
            let before = (self.server.cpu()?, process::cpu(std::process::id())?);
            let rate = self.rate(1, deltas).await?;
            if run >= WARM_UP {
                rates.value(rate.per_second);
                frames = rate.frames;
                server_cpu += self.server.cpu()? - before.0;
                tool_cpu += process::cpu(std::process::id())? - before.1;
            }
        }
        let per_delta = |cpu: Duration| cpu.as_secs_f64() * 1e6 / (self.runs * deltas) as f64;
        let took = started.elapsed().as_secs_f64();
        Ok(Alone {
            rates,
            note: merged_into(deltas, frames),
            cpu: Samples::once(per_delta(server_cpu)),
            cpu_note: format!(
                "model and load tool {:.1} µs; {took:.1} s in all",
                per_delta(tool_cpu)
            ),
        })
    }

    /// Many turns at a time, of as many deltas in all.
    async fn together(&self, deltas: usize) -> Result<Together> {
        let (mut few, mut many) = (Samples::default(), Samples::default());
        let mut ratio = Samples::default();
        let mut frames = (0, 0);
        for run in 0..self.runs + WARM_UP {
            let eight = self.rate(FEW, deltas / FEW).await?;
            let crowd = self.rate(MANY, deltas / MANY).await?;
            if run >= WARM_UP {
                few.value(eight.per_second);
                many.value(crowd.per_second);
                ratio.value(crowd.per_second / eight.per_second);
                frames = (eight.frames, crowd.frames);
            }
        }
        Ok(Together {
            few,
            few_note: merged_into(deltas, frames.0),
            many,
            many_note: merged_into(deltas, frames.1),
            ratio,
        })
    }

    /// Turns of new threads, all at once: from the first byte of any to the last of all.
    async fn rate(&self, threads: usize, deltas_each: usize) -> Result<Rate> {
        let mut pairs = Vec::with_capacity(threads);
        for _ in 0..threads {
            pairs.push(Pair::new(self.server).await?);
        }
        let flood = self.model.floods(deltas_each);
        let mut turns = JoinSet::new();
        for mut pair in pairs {
            let text = Arc::clone(&flood.text);
            turns.spawn(async move { pair.turn(&text).await });
        }
        let mut all: Vec<Seen> = Vec::with_capacity(threads);
        while let Some(turn) = turns.join_next().await {
            all.push(turn??.0);
        }
        let last = all.iter().map(|seen| seen.last).max();
        let (first, last) = flood.began().zip(last).context("no turn was seen")?;
        let seconds = (last - first).as_secs_f64();
        Ok(Rate {
            per_second: (threads * deltas_each) as f64 / seconds,
            frames: all.iter().map(|seen| seen.frames).sum(),
        })
    }
}

fn merged_into(deltas: usize, frames: usize) -> String {
    format!(
        "{} deltas in {} frames",
        grouped(deltas as f64),
        grouped(frames as f64)
    )
}
