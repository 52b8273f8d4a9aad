//! The control protocol on lines: JSON-RPC from one client, over any pair of pipes.
//!
//! ```text
//! input ─► lines ─► rpc ─► session ─► queue ─► answer ─► threads, app, prompt, turn ─► Service
//! output ◄─ writer ◄─ outbox ◄───────────────────┴─ event_map ◄─ events of the turn ◄────┘
//! ```
//!
//! A turn goes on whether its client reads or not: who follows it reads behind it in the log.

mod answer;
mod app;
mod call_frames;
mod desk;
mod event_map;
mod limits;
mod lines;
mod live;
mod methods;
mod outbox;
mod overlay;
mod prompt;
mod queue;
mod rpc;
mod session;
mod thread_view;
mod threads;
mod turn;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use codewhale_protocol::{Caller, Service};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

use desk::Desk;
use session::Session;

/// Everything that decides how the door behaves, as plain values.
pub struct Options {
    /// Who the client is.
    pub caller: Caller,
    /// The version told to it.
    pub version: String,
    /// The configuration file that was named at the start.
    pub config_path: Option<String>,
}

/// Serves one client until it says so, its input ends, or `stop` fires. When this returns, nothing
/// it began is being answered any more.
pub async fn serve(
    service: Arc<dyn Service>,
    options: Options,
    input: impl AsyncRead + Unpin,
    output: impl AsyncWrite + Unpin,
    stop: CancellationToken,
) {
    let (out, writer) = outbox::outbox();
    let gone = CancellationToken::new();
    let desk = Arc::new(Desk::new(service, options, out));
    let session = Session::new(desk).run(input, stop.clone(), gone.clone());
    tokio::join!(session, writer.run(output, stop, gone));
}
