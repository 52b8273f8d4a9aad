//! `serve --acp`: the runtime behind the door for editors. Standard output carries the protocol and
//! nothing else.

use std::os::fd::AsFd;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use codewhale_acp::{Options, Viewer};
use codewhale_client::Client;
use codewhale_config::Config;
use codewhale_model::Senses;
use codewhale_protocol::Surface;
use codewhale_protocol::runtime::MediaKind;
use codewhale_runtime::Runtime;
use tokio::fs::File;
use tokio::io::BufReader;
use tokio_util::sync::CancellationToken;

use crate::args::Global;
use crate::compose;
use crate::opening::{Opening, tokio};
use crate::signals::Signals;

pub(crate) fn run(global: &Global, workers: u8) -> anyhow::Result<ExitCode> {
    let parts = Opening::read(global.plain_flags())?.parts(global, None)?;
    let tokio = tokio()?;
    let code = tokio.block_on(async {
        let (runtime, config) = parts.start(workers).await?;
        serve(runtime, &config).await
    });
    // A read of standard input cannot be given up, and nobody waits for it.
    tokio.shutdown_background();
    code
}

async fn serve(runtime: Runtime, config: &Config) -> anyhow::Result<ExitCode> {
    let mut signals = Signals::watch().context("signals cannot be watched")?;
    let caller = runtime.operator(Surface::Acp);
    let client = Client::new(Arc::new(runtime.clone()), caller);
    let options = Options {
        version: compose::VERSION.to_owned(),
        login: login(config),
        input: input(config),
        lender: Some(Arc::new(runtime.clone())),
        viewer: viewer(config),
    };
    let told = CancellationToken::new();
    let (input, output) = (pipe(&std::io::stdin())?, pipe(&std::io::stdout())?);
    let input = BufReader::new(input);
    let serving = codewhale_acp::serve(client, options, input, output, told.clone());
    tokio::pin!(serving);
    let code = tokio::select! {
        _ = &mut serving => ExitCode::SUCCESS,
        code = signals.end() => {
            told.cancel();
            serving.await;
            code
        }
    };
    runtime.shutdown().await?;
    Ok(code)
}

/// One of our standard streams, without a buffer or a lock of its own.
fn pipe(stream: &impl AsFd) -> anyhow::Result<File> {
    let own = stream.as_fd().try_clone_to_owned();
    let own = own.context("standard input and output must be open")?;
    Ok(File::from_std(own.into()))
}

/// What the model of the configuration may be given besides text; nothing where there is none.
fn input(config: &Config) -> Vec<MediaKind> {
    let senses = compose::routes(config).senses(None, None);
    senses.map(Senses::kinds).unwrap_or_default()
}

/// This program, as editors can start it to show a call of this home.
fn viewer(config: &Config) -> Option<Viewer> {
    // Messages are text; a path that is none cannot be told.
    let program = std::env::current_exe().ok()?.to_str()?.to_owned();
    let home = std::path::absolute(&config.home.value).ok()?;
    let arguments = ["view-call", "--home", home.to_str()?];
    Some(Viewer {
        program,
        arguments: arguments.map(str::to_owned).to_vec(),
    })
}

/// How the key of the provider that is used is kept, in a terminal.
fn login(config: &Config) -> Option<Vec<String>> {
    let default = config.default_provider.as_ref().map(|id| id.value.clone());
    let provider = default.or_else(|| config.providers.first().map(|it| it.id.clone()))?;
    let arguments = ["auth", "set", "--provider", &provider];
    Some(arguments.map(str::to_owned).to_vec())
}
