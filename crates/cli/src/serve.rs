//! `web`, `app-server --http`, `serve --http` and `serve --acp`: the runtime behind one of its doors.

use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use codewhale_app_server::{Access, Server};
use codewhale_config::{Config, Environment};
use codewhale_protocol::{Redactor, Secret, Surface};
use codewhale_runtime::{McpSettings, Runtime, Settings};
use tokio_util::sync::CancellationToken;

use crate::args::{Door, Global, Served};
use crate::signals::Signals;
use crate::{compose, editor, log, mcp, memory, settings};

/// Threads that serve requests. Two are as fast as more here, and idle ones cost memory.
const WORKERS: usize = 2;

/// How the token came about.
enum Token {
    Given(Secret),
    Generated(Secret),
    None,
}

pub(crate) fn run(global: Global, served: Served) -> anyhow::Result<ExitCode> {
    keep_memory_private();
    let environment = Environment::of_process();
    let known = compose::known_providers();
    let flags = global.flags(&served);
    let config = Config::load(&environment, &flags, &known)?;
    // Whoever holds our standard input needs no token.
    let token = match served.door {
        Door::Http => token(&config, served.insecure)?,
        Door::Editor => Token::None,
    };
    let source = mcp::Source::new(&config, &environment);
    let (servers, warnings) = source.read()?;
    mcp::warn(warnings);
    let mut secrets = config.secrets().to_vec();
    secrets.extend(servers.secrets().map(Secret::new));
    if let Token::Generated(token) = &token {
        secrets.push(token.clone());
    }
    let redactor = Arc::new(Redactor::new(&secrets));
    log::start(
        config.log_level.as_ref().map(|level| level.value.as_str()),
        Arc::clone(&redactor),
    )?;
    let servers = McpSettings {
        servers,
        again: source.again(),
        vault: Some(mcp::KeyVault::open(&config, Arc::clone(&redactor))?),
    };
    for warning in &config.warnings {
        eprintln!("warning: {warning}");
    }
    let workspace = match &global.workspace {
        Some(workspace) => workspace.clone(),
        None => std::env::current_dir().context("the current directory cannot be read")?,
    };
    let desk = settings::Desk::new(
        environment.clone(),
        flags,
        config.clone(),
        Arc::clone(&redactor),
    )?;
    let store = compose::store(&config, redactor)?;
    let tokio = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(WORKERS)
        .thread_name("codewhale")
        .enable_all()
        .build()
        .context("the async runtime could not start")?;
    let ended = tokio.block_on(async {
        let (mcp, workers) = (Some(servers), served.workers);
        let desk: Arc<dyn Settings> = Arc::new(desk);
        let runtime = compose::runtime(
            store,
            &config,
            &environment,
            &workspace,
            mcp,
            Some(desk),
            workers,
        );
        let runtime = runtime.await?;
        match served.door {
            Door::Http => serve(runtime, served, &config, token).await,
            Door::Editor => editor::serve(runtime, &config).await,
        }
    });
    // A read of standard input cannot be given up, and nobody waits for it.
    tokio.shutdown_background();
    ended
}

async fn serve(
    runtime: Runtime,
    served: Served,
    config: &Config,
    token: Token,
) -> anyhow::Result<ExitCode> {
    let access = match &token {
        Token::Given(token) | Token::Generated(token) => Access::Token(token.clone()),
        Token::None => Access::Open,
    };
    let api = &config.runtime_api;
    let options = codewhale_app_server::Options {
        host: served.host.clone(),
        port: served.port,
        access,
        caller: runtime.operator(Surface::Http),
        cors_origins: api
            .cors_origins
            .iter()
            .map(|origin| origin.value.clone())
            .collect(),
        allowed_hosts: api.allowed_hosts.value.clone(),
        page: served.page,
        sandbox: compose::sandbox_kind,
        turned_off: compose::turned_off(config),
        version: compose::VERSION.to_owned(),
        commit: compose::COMMIT.to_owned(),
    };
    let server = Server::bind(Arc::new(runtime.clone()), options).await?;
    // Who reads that we serve may tell us to end at once.
    let mut signals = Signals::watch().context("signals cannot be watched")?;
    announce(server.address(), &served, &token, config);
    let (stop, streams) = (CancellationToken::new(), server.closing());
    let serving = server.serve(stop.clone());
    tokio::pin!(serving);
    let code = tokio::select! {
        () = &mut serving => anyhow::bail!("the server stopped by itself"),
        never = memory::give_back_when_quiet(&runtime) => match never {},
        code = signals.end() => code,
    };
    // Turns end first, so that those who watch see it; then streams, then connections.
    let ending = async {
        let ended = runtime.shutdown().await;
        streams.cancel();
        stop.cancel();
        ended
    };
    let (ended, ()) = tokio::join!(ending, serving);
    ended?;
    Ok(code)
}

/// Keys lie in our memory and environment: other processes of the user may not look, and no core
/// dump holds them. Where the system has no such switch, walls keep commands from looking.
pub(crate) fn keep_memory_private() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{DumpableBehavior, set_dumpable_behavior};
        let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    }
}

/// The token requests must carry: a given one, else one made for this run, else none if the user
/// insists.
fn token(config: &Config, insecure: bool) -> anyhow::Result<Token> {
    if let Some(token) = &config.runtime_api.auth_token {
        return Ok(Token::Given(token.value.clone()));
    }
    if insecure {
        return Ok(Token::None);
    }
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)
        .map_err(|error| anyhow::anyhow!("no randomness for a token: {error}"))?;
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(Token::Generated(Secret::new(format!("cwrt_{hex}"))))
}

/// Says where the server is and how to get in. The first line is what supervisors wait for.
fn announce(address: SocketAddr, served: &Served, token: &Token, config: &Config) {
    println!("Runtime API listening on http://{address}");
    match token {
        Token::Given(_) => println!("A token is required for /v1/* (the configured one)."),
        Token::Generated(token) => {
            println!("A token is required for /v1/*; this one is good until the program ends:");
            println!("  {}", token.expose());
        }
        Token::None => println!(
            "WARNING: no token is required; every program on this machine can run commands through this port."
        ),
    }
    if served.page {
        match token {
            Token::Given(token) | Token::Generated(token) => {
                println!("Open http://{address}/?token={}", token.expose());
            }
            Token::None => println!("Open http://{address}/"),
        }
    }
    match config.providers.is_empty() {
        true => println!(
            "No model is configured: the built-in offline model answers. Set DEEPSEEK_API_KEY, or [providers.<name>] in {}/config.toml, for a real one.",
            config.home.value.display()
        ),
        false => println!(
            "Models: {}.",
            config
                .providers
                .iter()
                .map(|provider| provider.id.as_str())
                .collect::<Vec<_>>()
                .join(", ")
        ),
    }
    match address.ip().is_loopback() {
        true => println!("Only programs on this machine can reach this address."),
        false => println!(
            "WARNING: {address} can be reached from other machines, without encryption (bind_host={}, port={}, auth_required={}).",
            served.host,
            address.port(),
            !matches!(token, Token::None)
        ),
    }
}
