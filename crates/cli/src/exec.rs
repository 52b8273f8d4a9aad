//! `codewhale exec`: one piece of work without a person in front of it. It is a thread like any
//! other, in the same home; this door starts its turn, prints what happens and ends with it.

mod args;
mod authority;
mod exit;
mod input;
mod limits;
mod lines;
mod news;
mod order;
mod printer;
mod progress;
mod receipt;
mod run;
mod schema;
mod session;
mod summary;
mod text;

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use codewhale_client::Client;
use codewhale_config::{Config, Environment};
use codewhale_protocol::{Redactor, Secret};
use codewhale_runtime::{McpSettings, Runtime};

use crate::args::Global;
use crate::opening::keep_memory_private;
use crate::signals::Signals;
use crate::{compose, log, mcp};

pub(crate) use args::Exec;
use args::OutputFormat;
use input::Input;
use lines::Lines;
use order::Order;
use printer::{Printed, Printer};
use run::Run;
use summary::Summary;
use text::Text;

/// Threads that work. Two are as fast as more here, and idle ones cost memory.
const WORKERS: usize = 2;

/// Restricts the tools, for those who cannot pass options.
const TOOL_SURFACE: &str = "CODEWHALE_TOOL_SURFACE";

pub(crate) fn run(global: Global, mut exec: Exec) -> anyhow::Result<ExitCode> {
    keep_memory_private();
    let printer = printer(&exec);
    let global = global.with(std::mem::take(&mut exec.again));
    let input = Input::open(&exec)?;
    let environment = Environment::of_process();
    let config = Config::load(
        &environment,
        &global.plain_flags(),
        &compose::known_providers(),
    )?;
    let workspace = match &global.workspace {
        Some(workspace) => workspace.clone(),
        None => std::env::current_dir().context("the current directory cannot be read")?,
    };
    let named = global.workspace.is_some();
    let surface = environment.get(TOOL_SURFACE);
    let order = Order::new(exec, (&workspace, named), global.route(), surface)?;
    let tokio = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(WORKERS)
        .thread_name("codewhale")
        .enable_all()
        .build()
        .context("the async runtime could not start")?;
    tokio.block_on(async {
        let signals = Signals::watch().context("signals cannot be watched")?;
        let runtime = start(config, &environment, &order).await?;
        let service = Arc::new(runtime.clone());
        let mut run = Run {
            client: Client::new(service, runtime.operator(order.surface())),
            order: &order,
            input,
            signals,
            out: Printed::new(printer),
        };
        let code = run.go().await;
        if let Err(error) = &code {
            run.out.lost(&error.to_string());
        }
        runtime.shutdown().await?;
        Ok(ExitCode::from(code?))
    })
}

fn printer(exec: &Exec) -> Box<dyn Printer> {
    match (exec.json, exec.output_format) {
        (true, _) => Box::new(Summary::default()),
        (false, Some(OutputFormat::StreamJson)) => Box::new(Lines),
        (false, Some(OutputFormat::Text) | None) => {
            Box::new(Text::new(exec.output_schema.is_some()))
        }
    }
}

/// The runtime of the home, which other programs may use at the same time.
async fn start(
    mut config: Config,
    environment: &Environment,
    order: &Order,
) -> anyhow::Result<Runtime> {
    if !order.is_attended {
        let timeout = &mut config.approvals.timeout.value;
        *timeout = limits::NOBODY_ANSWERS.min(*timeout);
    }
    let source = mcp::Source::new(&config, environment, mcp::Itself::Kept);
    let (servers, warnings) = source.read()?;
    mcp::warn(warnings);
    let mut secrets = config.secrets().to_vec();
    secrets.extend(servers.secrets().map(Secret::new));
    let redactor = Arc::new(Redactor::new(&secrets));
    let level = config.log_level.as_ref().map(|level| level.value.as_str());
    log::start(level, Arc::clone(&redactor))?;
    let servers = McpSettings {
        servers,
        again: source.again(),
        vault: Some(mcp::KeyVault::open(&config, Arc::clone(&redactor))?),
    };
    for warning in &config.warnings {
        eprintln!("warning: {warning}");
    }
    let store = compose::store(&config, redactor)?;
    let workspace = order.workspace.as_ref();
    // Tasks and schedules are for programs that stay.
    compose::runtime(
        store,
        &config,
        environment,
        workspace,
        Some(servers),
        None,
        0,
    )
    .await
}
