//! How long a person or a program waits: for a thread, a list, the first word, each word.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use codewhale_testkit::model_server::{Reply, stamps};

use super::client::Http;
use super::model::Model;
use super::report::Report;
use super::samples::Samples;
use super::server::{Merging, Server};
use super::watch::{Pair, ms};
use super::{Bench, WARM_UP};

/// Threads in a list.
const LISTED: usize = 50;

/// Turns of one thread before another takes over, so that conversations stay short.
const TURNS_PER_THREAD: usize = 10;

/// What the model says; the pause keeps the end of the turn from riding along with its start.
const FIRST: &str = "Well, ";
const REST: &str = "that is all.";
const BETWEEN: Duration = Duration::from_millis(3);

/// Between two paced deltas.
const PACE: Duration = Duration::from_millis(2);

pub(super) async fn run(bench: &Bench, report: &mut Report) -> Result<()> {
    let model = Model::start()?;
    let server = bench.site("latency")?.start(&model, Merging::On)?;
    let scale = &bench.scale;
    let create = create(&server, scale.runs, scale.threads_few).await?;
    report.add("create", create, "one synced commit inside");
    for (id, path) in [("list", "/v1/threads"), ("summary", "/v1/threads/summary")] {
        let times = list(&server, path, scale.runs, scale.samples).await?;
        report.add(id, times, format!("of {}", scale.threads_few));
    }
    let first = first_delta(&server, &model, scale.runs, scale.samples).await?;
    report.add("first_delta", first, "one synced commit inside");
    let age = age(&server, &model, scale.runs, scale.deltas_paced).await?;
    report.add("age", age, "committed first");
    server.end()
}

async fn create(server: &Server, runs: usize, threads: usize) -> Result<Samples> {
    let mut http = Http::connect(server.address()).await?;
    let mut samples = Samples::default();
    let per_run = threads / (runs + 1);
    for run in 0..=runs {
        let mut times = Vec::new();
        for _ in 0..per_run + if run == 0 { threads % (runs + 1) } else { 0 } {
            let started = Instant::now();
            http.new_thread().await?;
            times.push(ms(started.elapsed()));
        }
        if run > 0 {
            samples.values(times);
        }
    }
    Ok(samples)
}

/// Lists the newest threads again and again.
pub(super) async fn list(
    server: &Server,
    path: &str,
    runs: usize,
    count: usize,
) -> Result<Samples> {
    let mut http = Http::connect(server.address()).await?;
    let path = format!("{path}?limit={LISTED}");
    let mut samples = Samples::default();
    for run in 0..runs + WARM_UP {
        let mut times = Vec::with_capacity(count);
        for _ in 0..count {
            let started = Instant::now();
            let body = http.get(&path).await?;
            times.push(ms(started.elapsed()));
            ensure!(body.len() > LISTED * 100, "a list of threads is too short");
        }
        if run >= WARM_UP {
            samples.values(times);
        }
    }
    Ok(samples)
}

async fn first_delta(server: &Server, model: &Model, runs: usize, count: usize) -> Result<Samples> {
    model.says(Reply::says(FIRST).pause(BETWEEN).text(REST));
    let expected = [FIRST, REST].concat();
    let mut samples = Samples::default();
    for run in 0..runs + WARM_UP {
        let mut times = Vec::with_capacity(count);
        while times.len() < count {
            let mut pair = Pair::new(server).await?;
            for _ in 0..TURNS_PER_THREAD {
                let (seen, asked) = pair.turn(expected.as_bytes()).await?;
                times.push(ms(seen.first - asked));
            }
        }
        if run >= WARM_UP {
            samples.values(times);
        }
    }
    Ok(samples)
}

async fn age(server: &Server, model: &Model, runs: usize, deltas: usize) -> Result<Samples> {
    let base = Instant::now();
    model.says(Reply::paced(deltas, PACE, base));
    let mut samples = Samples::default();
    for run in 0..runs + WARM_UP {
        let mut pair = Pair::new(server).await?;
        pair.http.start_turn(&pair.id).await?;
        let (mut ages, mut ended) = (Vec::with_capacity(deltas), None);
        while ended.is_none() {
            let mut sent: Vec<Duration> = Vec::new();
            let at = pair
                .events
                .read(|frame| {
                    let text = frame.delta().map(String::from_utf8_lossy);
                    sent.extend(text.iter().flat_map(|text| stamps(text)));
                    ended = ended.or(frame.turn_end());
                })
                .await?;
            let at = at.duration_since(base);
            ages.extend(sent.iter().map(|sent| ms(at.saturating_sub(*sent))));
        }
        ensure!(ended == Some(true), "a paced turn did not end well");
        ensure!(
            ages.len() == deltas,
            "{} of {deltas} paced deltas came",
            ages.len()
        );
        if run >= WARM_UP {
            samples.values(ages);
        }
    }
    Ok(samples)
}
