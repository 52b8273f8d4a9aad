//! Many readers of one thread: some that read, some that do not.

use std::time::{Duration, Instant};

use anyhow::Result;
use tokio::task::JoinSet;

use super::client::{Events, Since, Stalled};
use super::model::Model;
use super::report::Report;
use super::samples::Samples;
use super::server::{Merging, Server};
use super::watch::Pair;
use super::{Bench, WARM_UP, process};

/// What readers that have left cost is given back by then.
const LEFT: Duration = Duration::from_secs(1);

pub(super) async fn run(bench: &Bench, report: &mut Report) -> Result<()> {
    for merging in [Merging::On, Merging::Off] {
        let model = Model::start()?;
        let site = bench.site(&format!("stalled-{merging:?}"))?;
        let server = site.start(&model, merging)?;
        let found = stalled(bench, &server, &model).await?;
        let note = format!(
            "{} readers; {:.0} MB before",
            bench.scale.readers, found.before
        );
        match merging {
            Merging::On => {
                report.add("memory.stalled", found.peaks, note);
                report.add("stalled.filling", found.filling, "");
                report.add("stalled.turn", found.ratio, "");
            }
            Merging::Off => {
                report.add("memory.stalled.unmerged", found.peaks, note);
                report.add("stalled.filling.unmerged", found.filling, "");
                report.add("stalled.turn.unmerged", found.ratio, "");
                report.add("memory.left.unmerged", found.left, "");
            }
        }
        server.end()?;
    }
    reading(bench, report).await
}

struct FoundStalled {
    /// Resident memory before anyone came, in megabytes.
    before: f64,
    peaks: Samples,
    left: Samples,
    filling: Samples,
    ratio: Samples,
}

/// Each run: a turn with one reader, then two of another thread with one reader and many that do
/// not read. In the first, what lies between them and the server fills up; from then on they are
/// stalled.
async fn stalled(bench: &Bench, server: &Server, model: &Model) -> Result<FoundStalled> {
    let expected = model.floods(bench.scale.deltas_alone).text;
    let before = server.resident_mb()?;
    let (mut peaks, mut left) = (Samples::default(), Samples::default());
    let (mut ratio, mut filling) = (Samples::default(), Samples::default());
    for run in 0..bench.scale.runs + WARM_UP {
        let mut plain = Pair::new(server).await?;
        let (seen, asked) = plain.turn(&expected).await?;
        let alone = seen.end - asked;
        let mut watched = Pair::new(server).await?;
        let mut stalled = Vec::with_capacity(bench.scale.readers);
        for _ in 0..bench.scale.readers {
            stalled.push(Stalled::open(server.address(), &watched.id).await?);
        }
        process::forget_peak(server.pid())?;
        let (seen, asked) = watched.turn(&expected).await?;
        let filling_up = seen.end - asked;
        let (seen, asked) = watched.turn(&expected).await?;
        let crowded = seen.end - asked;
        let peak = process::peak_mb(server.pid())?;
        drop(stalled);
        tokio::time::sleep(LEFT).await;
        if run >= WARM_UP {
            peaks.value(peak);
            left.value(server.resident_mb()?);
            filling.value(filling_up.as_secs_f64() / alone.as_secs_f64());
            ratio.value(crowded.as_secs_f64() / alone.as_secs_f64());
        }
    }
    Ok(FoundStalled {
        before,
        peaks,
        left,
        filling,
        ratio,
    })
}

/// What one turn cost, and what was sent for it.
struct Cost {
    time: Duration,
    cpu: Duration,
    megabytes: f64,
}

/// Each run: a turn with one reader, then one with many that read.
async fn reading(bench: &Bench, report: &mut Report) -> Result<()> {
    let model = Model::start()?;
    let server = bench.site("readers")?.start(&model, Merging::On)?;
    let expected = model.floods(bench.scale.deltas_alone).text;
    let (mut turn, mut cpu, mut byte) =
        (Samples::default(), Samples::default(), Samples::default());
    let mut megabytes = 0.0;
    for run in 0..bench.scale.runs + WARM_UP {
        let one = turn_with(&server, 0, &expected).await?;
        let many = turn_with(&server, bench.scale.readers - 1, &expected).await?;
        if run >= WARM_UP {
            turn.value(many.time.as_secs_f64() / one.time.as_secs_f64());
            cpu.value(many.cpu.as_secs_f64() / one.cpu.as_secs_f64().max(1e-3));
            let extra = many.cpu.saturating_sub(one.cpu).as_secs_f64() * 1e3;
            byte.value(extra / many.megabytes.max(1e-3));
            megabytes = many.megabytes;
        }
    }
    let note = format!("{} readers", bench.scale.readers);
    report.add("readers.turn", turn, note);
    report.add("readers.cpu", cpu, "");
    report.add("readers.byte", byte, format!("{megabytes:.0} MB in all"));
    server.end()
}

async fn turn_with(server: &Server, others: usize, expected: &[u8]) -> Result<Cost> {
    let mut pair = Pair::new(server).await?;
    let mut skimming = JoinSet::new();
    for _ in 0..others {
        let mut events = Events::open(server.address(), &pair.id, Since::Now).await?;
        skimming.spawn(async move { events.skim_turn().await });
    }
    let cpu = process::cpu_of_threads(server.pid())?;
    let asked = Instant::now();
    pair.turn(expected).await?;
    let time = asked.elapsed();
    let mut bytes = 0;
    while let Some(skimmed) = skimming.join_next().await {
        bytes += skimmed??;
    }
    let cpu = process::cpu_of_threads(server.pid())?.saturating_sub(cpu);
    Ok(Cost {
        time,
        cpu,
        megabytes: bytes as f64 / 1e6,
    })
}
