//! `serve --mcp` and `/mcp`: this program as an MCP server.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use codewhale_config::Config;
use codewhale_mcp_server::{Door, HttpDoor, Options, is_known, over_http, over_stdio};
use codewhale_protocol::Surface;
use codewhale_runtime::Runtime;
use codewhale_tools::Registry;
use tokio_util::sync::CancellationToken;

use crate::args::Global;
use crate::compose;
use crate::opening::{Opening, tokio};
use crate::signals::Signals;

/// Serves whoever started this program, on its standard input and output.
pub(crate) fn run(global: &Global, workers: u8) -> anyhow::Result<ExitCode> {
    let opening = Opening::read(global.plain_flags())?.without_itself();
    let parts = opening.parts(global, None)?;
    let workspace = parts.workspace.clone();
    let tokio = tokio()?;
    let code = tokio.block_on(async {
        let (runtime, config) = parts.start(workers).await?;
        serve(runtime, &config, &workspace).await
    });
    // A client may keep its end of a pipe open for ever; nobody waits for it.
    tokio.shutdown_background();
    code
}

async fn serve(runtime: Runtime, config: &Config, workspace: &Path) -> anyhow::Result<ExitCode> {
    let mut signals = Signals::watch().context("signals cannot be watched")?;
    let caller = runtime.operator(Surface::Mcp);
    let door = Door::for_owner(
        Arc::new(runtime.clone()),
        caller,
        options(config, workspace),
    );
    let stop = CancellationToken::new();
    let (input, output) = (tokio::io::stdin(), tokio::io::stdout());
    let serving = over_stdio(door, input, output, stop.clone());
    tokio::pin!(serving);
    let (served, code) = tokio::select! {
        served = &mut serving => (served, ExitCode::SUCCESS),
        code = signals.end() => {
            stop.cancel();
            (serving.await, code)
        }
    };
    // Ends of turns that were told to stop are written down.
    runtime.shutdown().await?;
    served?;
    Ok(code)
}

/// The same behind the HTTP door. What runs is told to stop when `closing` fires.
pub(crate) fn mounted(
    runtime: &Runtime,
    config: &Config,
    workspace: &Path,
    closing: CancellationToken,
) -> HttpDoor {
    let service = Arc::new(runtime.clone());
    over_http(Door::behind(service, options(config, workspace), closing))
}

fn options(config: &Config, workspace: &Path) -> Options {
    let own = &config.mcp_server;
    let exposed = own.expose_tools.as_ref();
    let tools = Registry::builtin();
    for name in exposed.iter().flat_map(|it| &it.value) {
        if !is_known(name) && tools.get(name).is_none() {
            eprintln!("warning: mcp_server.expose_tools names {name:?}, which is no tool");
        }
    }
    let required = own.require_approval.as_ref();
    Options {
        version: compose::VERSION.to_owned(),
        workspace: workspace.to_string_lossy().into_owned(),
        expose_tools: exposed.map(|it| it.value.clone()),
        require_approval: required.is_some_and(|it| it.value),
    }
}
