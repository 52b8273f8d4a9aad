//! A large store: 1 GB, 100,000 threads, one of them with 100,000 events.

use std::time::Instant;

use anyhow::Result;

use super::client::{Events, Since};
use super::filler::Filler;
use super::model::Model;
use super::report::{Report, grouped};
use super::samples::Samples;
use super::server::{Merging, Server};
use super::site::Site;
use super::starts::{clean_starts, killed_starts};
use super::{Bench, WARM_UP, latency};

/// Deltas of an ordinary thread. Every other one has a turn; that makes 1 GB.
const DELTAS: usize = 4;

/// The long thread lies in so many stretches between the others.
const STRETCHES: usize = 100;

/// Events of a turn besides its deltas.
const AROUND: usize = 6;

const FIGURES: &[&str] = &[
    "start.large.clean",
    "start.large.killed",
    "memory.idle.large",
    "list.large",
    "summary.large",
    "replay",
];

pub(super) async fn run(bench: &Bench, report: &mut Report) -> Result<()> {
    let model = Model::start()?;
    let site = bench.site("history")?;
    let Some(long) = fill(bench, &site, &model).await? else {
        for id in FIGURES {
            report.skip(id, "its store is not ours");
        }
        return Ok(());
    };
    let bytes = std::fs::metadata(site.home.join("runtime.db"))?.len();
    let size = format!("{} MB", grouped(bytes as f64 / 1e6));
    let (clean, idle) = clean_starts(&site, &model, 2 * bench.scale.runs).await?;
    report.add("start.large.clean", clean, size.clone());
    report.add("memory.idle.large", idle, size.clone());
    let killed = killed_starts(&site, &model, bench.scale.runs).await?;
    report.add("start.large.killed", killed, size);
    let server = site.start(&model, Merging::On)?;
    let (runs, samples) = (bench.scale.runs, bench.scale.samples);
    for (id, path) in [
        ("list.large", "/v1/threads"),
        ("summary.large", "/v1/threads/summary"),
    ] {
        let times = latency::list(&server, path, runs, samples).await?;
        let note = format!("of {}", grouped(bench.scale.threads_many as f64));
        report.add(id, times, note);
    }
    let (rates, note) = replay(&server, &long, runs).await?;
    report.add("replay", rates, note);
    server.end()
}

/// The long thread.
struct Long {
    id: String,
    events: usize,
}

async fn fill(bench: &Bench, site: &Site, model: &Model) -> Result<Option<Long>> {
    let Some(mut filler) = Filler::open(site, model).await? else {
        return Ok(None);
    };
    let per_stretch = bench.scale.events_long / STRETCHES;
    let mut long = filler.thread().await;
    let between = bench.scale.threads_many / STRETCHES;
    for _ in 0..STRETCHES {
        filler.turn(&mut long, per_stretch - AROUND).await;
        for index in 0..between {
            let mut thread = filler.thread().await;
            if index.is_multiple_of(2) {
                filler.turn(&mut thread, DELTAS).await;
            }
        }
    }
    filler.close().await?;
    Ok(Some(Long {
        id: long.id().to_owned(),
        events: per_stretch * STRETCHES + 1,
    }))
}

async fn replay(server: &Server, long: &Long, runs: usize) -> Result<(Samples, String)> {
    let mut rates = Samples::default();
    let mut bytes = 0;
    for run in 0..runs + WARM_UP {
        let asked = Instant::now();
        let mut events = Events::open(server.address(), &long.id, Since::Beginning).await?;
        let (mut count, mut last) = (0, asked);
        bytes = 0;
        while count < long.events {
            last = events
                .read(|frame| {
                    count += usize::from(!frame.name.is_empty());
                    bytes += frame.data.len();
                })
                .await?;
        }
        if run >= WARM_UP {
            rates.value(count as f64 / (last - asked).as_secs_f64());
        }
    }
    let note = format!(
        "{} events of {} bytes, in {STRETCHES} stretches",
        grouped(long.events as f64),
        bytes / long.events
    );
    Ok((rates, note))
}
