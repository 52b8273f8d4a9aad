//! Staying with a run until it is over.

use std::process::ExitCode;

use anyhow::{Context, anyhow};
use codewhale_protocol::frame::Decoder;
use codewhale_protocol::operations::{FleetGet, FleetReceipts, FleetStop};
use codewhale_protocol::runtime::{FleetDetail, FleetEvent, FleetResult, FleetRunId, Seq};
use codewhale_protocol::service::Cursor;
use codewhale_protocol::{EventStream, Service, Source, Surface};
use codewhale_runtime::Runtime;
use futures_util::StreamExt;
use serde_json::json;

use super::ask;
use super::print::plain;
use crate::signals::Signals;

/// The exit of someone who pressed Ctrl-C.
const INTERRUPTED: u8 = 130;

/// Prints what happens to a run until it is over. Ctrl-C stops it; other signals leave it paused.
pub(super) async fn to_the_end(runtime: &Runtime, run: &FleetRunId) -> anyhow::Result<ExitCode> {
    let mut signals = Signals::watch().context("signals cannot be watched")?;
    let caller = runtime.operator(Surface::Cli);
    let source = Source::FleetRun(run.clone());
    let begin = Cursor {
        after: Seq::ZERO,
        replay_limit: Some(0),
    };
    let events = runtime.events(&caller, source, begin).await;
    let mut events = events.map_err(|error| anyhow!("{}", error.message))?;
    let mut asked_to_end = None;
    loop {
        let detail = ask::<FleetGet>(runtime, json!({ "run_id": run })).await?;
        if detail.summary.lifecycle_status.is_terminal() {
            return sum_up(runtime, &detail, asked_to_end).await;
        }
        tokio::select! {
            biased;
            code = signals.end(), if asked_to_end.is_none() => {
                if code != ExitCode::from(INTERRUPTED) {
                    println!("paused {run}; `codewhale fleet resume {run}` goes on");
                    return Ok(code);
                }
                asked_to_end = Some(code);
                ask::<FleetStop>(runtime, json!({ "run_id": run })).await?;
            }
            told = next(&mut events) => told?,
        }
    }
}

/// Prints what comes next.
async fn next(events: &mut EventStream) -> anyhow::Result<()> {
    let Some(frames) = events.next().await else {
        return Err(anyhow!("the events of the run have ended"));
    };
    let frames = frames.map_err(|error| anyhow!("{}", error.message))?;
    let mut decoder = Decoder::new();
    decoder.push(&frames.bytes);
    while let Ok(Some(frame)) = decoder.next_frame() {
        if let Ok(event) = serde_json::from_str::<FleetEvent>(&frame.data)
            && let Some(line) = line(&event)
        {
            println!("{line}");
        }
    }
    Ok(())
}

/// What a person is told of an event.
fn line(event: &FleetEvent) -> Option<String> {
    let task = event.task_id.as_deref().unwrap_or_default();
    let worker = event.worker_id.as_deref().unwrap_or_default();
    let worker = worker.rsplit('.').next().unwrap_or_default();
    let word = |name: &str| plain(event.payload[name].as_str().unwrap_or_default());
    Some(match event.event.as_str() {
        "fleet.task.leased" => format!("{task}: {worker} begins"),
        "fleet.worker.running_tool" => format!("{task}: runs {}", word("tool")),
        "fleet.worker.failed" => format!("{task}: {}", word("reason")),
        "fleet.worker.stale" => format!("{task}: no sign of life"),
        "fleet.worker.restarted" => format!("{task}: once more"),
        "fleet.task.terminal" => format!("{task}: {}", word("status")),
        _ => return None,
    })
}

async fn sum_up(
    runtime: &Runtime,
    detail: &FleetDetail,
    asked_to_end: Option<ExitCode>,
) -> anyhow::Result<ExitCode> {
    let run = &detail.summary;
    let params = json!({ "run_id": run.id });
    let receipts = ask::<FleetReceipts>(runtime, params).await?.receipts;
    for receipt in &receipts {
        println!("  {}  {}", receipt.task_id, receipt.result.as_str());
        let kept = receipt.artifacts.iter();
        for artifact in kept.filter(|it| it.kind != "log") {
            println!("    {}: {}", artifact.kind, artifact.path);
        }
    }
    let passed = receipts.iter().filter(|it| it.result == FleetResult::Pass);
    let (passed, stands) = (passed.count() as u64, run.lifecycle_status.as_str());
    println!("{stands}: {passed} of {} passed", run.task_count);
    Ok(match asked_to_end {
        Some(code) => code,
        None if passed == run.task_count => ExitCode::SUCCESS,
        None => ExitCode::FAILURE,
    })
}
