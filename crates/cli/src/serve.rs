//! `web`, `app-server --http` and `serve --http`: the runtime behind its door for many, and MCP behind that.

use std::net::SocketAddr;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use codewhale_app_server::{Access, Mount, Server};
use codewhale_config::Config;
use codewhale_protocol::{Secret, Surface};
use codewhale_runtime::Runtime;
use tokio_util::sync::CancellationToken;

use crate::args::{Global, Served};
use crate::opening::{Opening, tokio};
use crate::signals::Signals;
use crate::{compose, mcp_server, memory};

/// How the token came about.
enum Token {
    Given(Secret),
    Generated(Secret),
    None,
}

pub(crate) fn run(global: &Global, served: Served) -> anyhow::Result<ExitCode> {
    let opening = Opening::read(global.flags(&served))?;
    let token = token(&opening.config, served.insecure)?;
    let generated = match &token {
        Token::Generated(token) => Some(token.clone()),
        Token::Given(_) | Token::None => None,
    };
    let parts = opening.parts(global, generated)?;
    let workspace = parts.workspace.clone();
    tokio()?.block_on(async {
        let (runtime, config) = parts.start(served.workers).await?;
        serve(runtime, served, &config, token, &workspace).await
    })
}

async fn serve(
    runtime: Runtime,
    served: Served,
    config: &Config,
    token: Token,
    workspace: &Path,
) -> anyhow::Result<ExitCode> {
    let access = match &token {
        Token::Given(token) | Token::Generated(token) => Access::Token(token.clone()),
        Token::None => Access::Open,
    };
    let api = &config.runtime_api;
    let sessions = CancellationToken::new();
    let mcp = mcp_server::mounted(&runtime, config, workspace, sessions.clone());
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
        mounts: vec![Mount::new("/mcp", mcp)],
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
        sessions.cancel();
        streams.cancel();
        stop.cancel();
        ended
    };
    let (ended, ()) = tokio::join!(ending, serving);
    ended?;
    Ok(code)
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
