//! `app-server --stdio`: the runtime behind the control protocol, for the one program at our pipes.

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use codewhale_app_server::stdio;
use codewhale_protocol::Surface;
use tokio_util::sync::CancellationToken;

use crate::args::Global;
use crate::compose;
use crate::opening::{Opening, tokio};
use crate::signals::Signals;

pub(crate) fn run(global: &Global, workers: u8) -> anyhow::Result<ExitCode> {
    let parts = Opening::read(global.plain_flags())?.parts(global, None)?;
    let config_path = global.config_file();
    let tokio = tokio()?;
    let code = tokio.block_on(async {
        let mut signals = Signals::watch().context("signals cannot be watched")?;
        let (runtime, _) = parts.start(workers).await?;
        let options = stdio::Options {
            caller: runtime.operator(Surface::Stdio),
            version: compose::VERSION.to_owned(),
            config_path,
        };
        let stop = CancellationToken::new();
        let (input, output) = (tokio::io::stdin(), tokio::io::stdout());
        let service = Arc::new(runtime.clone());
        let serving = stdio::serve(service, options, input, output, stop.clone());
        tokio::pin!(serving);
        let code = tokio::select! {
            () = &mut serving => ExitCode::SUCCESS,
            code = signals.end() => {
                stop.cancel();
                serving.await;
                code
            }
        };
        runtime.shutdown().await?;
        anyhow::Ok(code)
    });
    // A client may keep its end of a pipe open for ever; nobody waits for it.
    tokio.shutdown_background();
    code
}
