//! `codewhale doctor`: how this installation stands. Offline, quick, and without any secret: it tells
//! of presence, counts and labels, for people as lines that say what to do next, for programs as JSON.

mod check;
mod facts;
mod json;
mod place;
mod route;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;
use codewhale_config::{Config, Environment};
use codewhale_model::local::{self, LocalServer, Ports};
use serde_json::json;

use crate::args::Global;
use crate::compose;
use check::Check;
use facts::Facts;

/// How long servers on this machine may take to show themselves: doctor is quick or is not asked.
const LOCAL_WAIT: Duration = Duration::from_millis(100);

/// How the report is wanted.
#[derive(clap::Args)]
pub(crate) struct Doctor {
    /// Print JSON, for programs.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(global: &Global, command: &Doctor) -> anyhow::Result<ExitCode> {
    let environment = Environment::of_process();
    let known = compose::known_providers();
    let workspace = match &global.workspace {
        Some(workspace) => workspace.clone(),
        None => std::env::current_dir().context("the current directory cannot be read")?,
    };
    match Config::load(&environment, &global.plain_flags(), &known) {
        Ok(config) => report(&config, &environment, workspace, command.json),
        Err(error) if command.json => {
            let body = json!({
                "status": "error",
                "error": { "kind": "config_validation", "message": error.to_string() },
            });
            println!("{body}");
            eprintln!("error: the configuration cannot be used");
            Ok(ExitCode::FAILURE)
        }
        Err(error) => {
            println!("codewhale {}", compose::VERSION);
            print!("{}", Check::problem("configuration", error.to_string()));
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn report(
    config: &Config,
    environment: &Environment,
    workspace: PathBuf,
    as_json: bool,
) -> anyhow::Result<ExitCode> {
    let facts = Facts::gather(config, environment, workspace);
    if as_json {
        println!("{:#}", json::report(&facts));
        return Ok(ExitCode::SUCCESS);
    }
    println!("codewhale {}", compose::VERSION);
    let local = match facts.route.is_offline {
        true => local_servers()?,
        false => Vec::new(),
    };
    for check in check::all(&facts, &local) {
        print!("{check}");
    }
    Ok(ExitCode::SUCCESS)
}

/// Servers with models on this machine, for those who have none configured.
fn local_servers() -> anyhow::Result<Vec<LocalServer>> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let found = async { tokio::time::timeout(LOCAL_WAIT, local::detect(Ports::default())).await };
    Ok(runtime.block_on(found).unwrap_or_default())
}
