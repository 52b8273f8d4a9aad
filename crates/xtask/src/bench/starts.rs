//! Starting: from the start of the process to its first answer, and what it then holds.

use std::time::Duration;

use anyhow::Result;
use codewhale_testkit::model_server::Reply;

use super::model::Model;
use super::report::Report;
use super::samples::Samples;
use super::server::{Merging, Server};
use super::site::Site;
use super::watch::{Pair, ms};
use super::{Bench, WARM_UP};

/// A server with nothing to do has settled by then.
const SETTLED: Duration = Duration::from_millis(500);

pub(super) async fn run(bench: &Bench, report: &mut Report) -> Result<()> {
    let model = Model::start()?;
    let mut fresh = Samples::default();
    for run in 0..bench.scale.runs {
        let site = bench.site(&format!("fresh-{run}"))?;
        let server = site.start(&model, Merging::On)?;
        fresh.value(ms(server.start_time));
        server.end()?;
    }
    report.add("start.new", fresh, "");
    let site = bench.site("starts")?;
    let (clean, idle) = clean_starts(&site, &model, 2 * bench.scale.runs).await?;
    report.add("start.clean", clean, "");
    report.add("memory.idle", idle, "");
    let killed = killed_starts(&site, &model, bench.scale.runs).await?;
    report.add("start.killed", killed, "");
    Ok(())
}

/// Starts after an end in order: the times, and the memory of the idle server.
pub(super) async fn clean_starts(
    site: &Site,
    model: &Model,
    count: usize,
) -> Result<(Samples, Samples)> {
    let (mut times, mut idle) = (Samples::default(), Samples::default());
    for run in 0..count + WARM_UP {
        let server = site.start(model, Merging::On)?;
        let time = ms(server.start_time);
        if run >= WARM_UP {
            tokio::time::sleep(SETTLED).await;
            times.value(time);
            idle.value(server.resident_mb()?);
        }
        server.end()?;
    }
    Ok((times, idle))
}

/// Starts after the process was killed in the middle of a turn.
pub(super) async fn killed_starts(site: &Site, model: &Model, count: usize) -> Result<Samples> {
    let mut times = Samples::default();
    for _ in 0..count {
        let server = site.start(model, Merging::On)?;
        break_off(server, model).await?;
        let server = site.start(model, Merging::On)?;
        times.value(ms(server.start_time));
        server.end()?;
    }
    Ok(times)
}

/// Kills a server in the middle of a turn.
async fn break_off(server: Server, model: &Model) -> Result<()> {
    model.says(Reply::says("On my way. ").stall());
    let mut pair = Pair::new(&server).await?;
    pair.http.start_turn(&pair.id).await?;
    let mut said = false;
    while !said {
        pair.events
            .read(|frame| said |= frame.delta().is_some())
            .await?;
    }
    server.kill()
}
