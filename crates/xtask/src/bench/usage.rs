//! Sums over 200,000 turns of 2,000 threads and a year.

use std::time::Instant;

use anyhow::{Result, ensure};

use super::client::Http;
use super::filler::Filler;
use super::model::Model;
use super::report::{Report, grouped};
use super::samples::Samples;
use super::server::{Merging, Server};
use super::watch::ms;
use super::{Bench, WARM_UP};

/// Turns of a thread: those of a day or two.
const TURNS_PER_THREAD: usize = 100;

/// What is asked for, each answer by another way through the sums; the last begins and ends within
/// a day.
const QUESTIONS: &[(&str, &str)] = &[
    ("usage.day", "/v1/usage"),
    ("usage.model", "/v1/usage?group_by=model"),
    ("usage.thread", "/v1/usage?group_by=thread"),
    (
        "usage.part",
        "/v1/usage?group_by=provider&since=1970-01-05T03:00:00Z&until=1970-11-05T03:00:00Z",
    ),
];

pub(super) async fn run(bench: &Bench, report: &mut Report) -> Result<()> {
    let model = Model::start()?;
    let site = bench.site("usage")?;
    let Some(mut filler) = Filler::open(&site, &model).await? else {
        for (id, _) in QUESTIONS {
            report.skip(id, "its store is not ours");
        }
        return Ok(());
    };
    let threads = bench.scale.turns_used / TURNS_PER_THREAD;
    filler.usage(threads, TURNS_PER_THREAD).await;
    filler.close().await?;
    let server = site.start(&model, Merging::On)?;
    let note = format!("of {} turns", grouped(bench.scale.turns_used as f64));
    for (id, path) in QUESTIONS {
        let times = ask(&server, path, bench.scale.runs, bench.scale.samples / 10).await?;
        report.add(id, times, note.clone());
    }
    server.end()
}

async fn ask(server: &Server, path: &str, runs: usize, count: usize) -> Result<Samples> {
    let mut http = Http::connect(server.address()).await?;
    let mut samples = Samples::default();
    for run in 0..runs + WARM_UP {
        let mut times = Vec::with_capacity(count);
        for _ in 0..count {
            let started = Instant::now();
            let body = http.get(path).await?;
            times.push(ms(started.elapsed()));
            ensure!(body.len() > 100, "a report is too short");
        }
        if run >= WARM_UP {
            samples.values(times);
        }
    }
    Ok(samples)
}
