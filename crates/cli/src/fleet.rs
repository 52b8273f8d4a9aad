//! `codewhale fleet`: runs of many tasks, made from a file, watched, and taken up again.

mod print;
mod spec;
mod watch;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, anyhow, bail};
use clap::Subcommand;
use codewhale_config::{Config, Environment};
use codewhale_protocol::operations::{
    FleetCreate, FleetGet, FleetInterruptWorker, FleetList, FleetRestartWorker, FleetStart,
    FleetStop, FleetWorker, Operation,
};
use codewhale_protocol::runtime::FleetRunId;
use codewhale_protocol::{Call, Redactor, Service, Surface};
use codewhale_runtime::Runtime;
use serde_json::{Value, json};

use crate::args::Global;
use crate::{compose, log};

/// Work with fleets: many tasks, each done by a worker of its own.
#[derive(Subcommand)]
pub(crate) enum Fleet {
    /// Make the store that fleets are kept in, if there is none.
    Init,
    /// Make a run from a file, start it, and stay until it is over.
    Run {
        /// The file, JSON or TOML.
        spec: PathBuf,
        /// Workers at once, 1 to 128.
        #[arg(long, default_value_t = 4, value_name = "N")]
        max_workers: u64,
        /// Seconds without a sign of life after which a worker is given up.
        #[arg(long, value_name = "SECONDS")]
        stale_after_seconds: Option<u64>,
    },
    /// List runs.
    List {
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Count tasks, and tell how workers are.
    Status {
        /// One run; all when left out.
        run: Option<String>,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Tell how a worker is.
    Inspect {
        /// The worker.
        worker: String,
    },
    /// Print what a worker said.
    Logs {
        /// The worker.
        worker: String,
    },
    /// List what a worker left.
    Artifacts {
        /// The worker.
        worker: String,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Call off the task that a worker has.
    Interrupt {
        /// The worker.
        worker: String,
    },
    /// Have the latest task of a worker done again.
    Restart {
        /// The worker.
        worker: String,
    },
    /// Go on with a run whose process has ended, and stay until it is over.
    Resume {
        /// The run.
        run: String,
        /// Seconds without a sign of life after which a worker is given up.
        #[arg(long, value_name = "SECONDS")]
        stale_after_seconds: Option<u64>,
    },
    /// Call off everything that is left of a run, or of all.
    Stop {
        /// The run.
        #[arg(required_unless_present = "all", conflicts_with = "all")]
        run: Option<String>,
        /// All runs.
        #[arg(long)]
        all: bool,
    },
}

pub(crate) fn run(global: &Global, command: Fleet) -> anyhow::Result<ExitCode> {
    let environment = Environment::of_process();
    let known = compose::known_providers();
    let config = Config::load(&environment, &global.plain_flags(), &known)?;
    let file = config.home.value.join("runtime.db");
    let makes_one = matches!(command, Fleet::Init | Fleet::Run { .. });
    if !makes_one && !file.is_file() {
        bail!(
            "no_fleet_ledger: there are no fleets in {} yet",
            config.home.value.display()
        );
    }
    let workspace = match &global.workspace {
        Some(workspace) => workspace.clone(),
        None => std::env::current_dir().context("the current directory cannot be read")?,
    };
    // What is wrong with the file is told before anything is made.
    let wanted = match &command {
        Fleet::Run {
            spec,
            max_workers,
            stale_after_seconds,
        } => {
            let mut wanted = spec::read(spec, *max_workers)?;
            wanted["stale_after_seconds"] = json!(stale_after_seconds);
            Some(wanted)
        }
        _ => None,
    };
    let redactor = Arc::new(Redactor::new(config.secrets()));
    let level = config.log_level.as_ref().map(|level| level.value.as_str());
    log::start(level, Arc::clone(&redactor))?;
    let store = compose::store(&config, redactor)?;
    let tokio = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    tokio.block_on(async {
        let runtime =
            compose::runtime(store, &config, &environment, &workspace, None, None, 0).await?;
        let done = serve(&runtime, command, wanted, &file).await;
        runtime.shutdown().await?;
        done
    })
}

async fn serve(
    runtime: &Runtime,
    command: Fleet,
    wanted: Option<Value>,
    file: &Path,
) -> anyhow::Result<ExitCode> {
    match command {
        Fleet::Init => println!("fleet ledger: {}", file.display()),
        Fleet::Run { .. } => return begin(runtime, wanted.unwrap_or_default()).await,
        Fleet::List { json } => {
            let runs = ask::<FleetList>(runtime, json!({})).await?;
            print::runs(&runs, json);
        }
        Fleet::Status { run: None, json } => {
            let runs = ask::<FleetList>(runtime, json!({})).await?;
            print::status(&runs.status, json);
        }
        Fleet::Status {
            run: Some(run),
            json,
        } => {
            let detail = ask::<FleetGet>(runtime, json!({ "run_id": run })).await?;
            print::detail(&detail, json);
        }
        Fleet::Inspect { worker } => {
            let worker = ask::<FleetWorker>(runtime, json!({ "worker_id": worker })).await?;
            println!("{}", serde_json::to_string_pretty(&worker)?);
        }
        Fleet::Logs { worker } => {
            let worker = ask::<FleetWorker>(runtime, json!({ "worker_id": worker })).await?;
            print::logs(&worker)?;
        }
        Fleet::Artifacts { worker, json } => {
            let worker = ask::<FleetWorker>(runtime, json!({ "worker_id": worker })).await?;
            print::artifacts(&worker, json);
        }
        Fleet::Interrupt { worker } => {
            let params = json!({ "worker_id": worker });
            ask::<FleetInterruptWorker>(runtime, params).await?;
            println!("interrupted {worker}");
        }
        Fleet::Restart { worker } => {
            let params = json!({ "worker_id": worker });
            let restarted = ask::<FleetRestartWorker>(runtime, params).await?;
            println!("restarts {worker}");
            return watch::to_the_end(runtime, &restarted.run_id).await;
        }
        Fleet::Resume {
            run,
            stale_after_seconds,
        } => {
            let params = json!({ "run_id": run, "stale_after_seconds": stale_after_seconds });
            return go(runtime, params).await;
        }
        Fleet::Stop { run, all: _ } => stop(runtime, run).await?,
    }
    Ok(ExitCode::SUCCESS)
}

async fn begin(runtime: &Runtime, wanted: Value) -> anyhow::Result<ExitCode> {
    let created = ask::<FleetCreate>(runtime, wanted).await?;
    for warning in &created.warnings {
        eprintln!("warning: {warning}");
    }
    go(runtime, json!({ "run_id": created.run.summary.id })).await
}

/// Starts a run, or goes on with it, and stays until it is over.
async fn go(runtime: &Runtime, params: Value) -> anyhow::Result<ExitCode> {
    let started = ask::<FleetStart>(runtime, params).await?;
    let run: &FleetRunId = &started.run_id;
    let (leased, queued) = (started.leased, started.queued);
    println!(
        "fleet run: {run} tasks={} leased={leased} queued={queued}",
        leased + queued
    );
    println!("workers:");
    for worker in &started.worker_ids {
        println!("  {worker}");
    }
    watch::to_the_end(runtime, run).await
}

async fn stop(runtime: &Runtime, run: Option<String>) -> anyhow::Result<()> {
    let runs = match run {
        Some(run) => vec![FleetRunId::from(run.as_str())],
        None => {
            let all = ask::<FleetList>(runtime, json!({})).await?.runs;
            let open = all
                .into_iter()
                .filter(|run| !run.lifecycle_status.is_terminal());
            open.map(|run| run.id).collect()
        }
    };
    for run in runs {
        let stopped = ask::<FleetStop>(runtime, json!({ "run_id": run })).await?;
        println!("stopped {run}: {} tasks called off", stopped.stopped);
    }
    Ok(())
}

async fn ask<O: Operation>(runtime: &Runtime, params: Value) -> anyhow::Result<O::Output> {
    let caller = runtime.operator(Surface::Cli);
    let answer = runtime.call(&caller, Call::new(O::OP, params)).await;
    let answer = answer.map_err(|error| anyhow!("{}", error.message))?;
    serde_json::from_str(answer.get()).context("the answer does not read")
}
