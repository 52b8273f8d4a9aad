//! Runs a call that may run, and shows what it prints meanwhile.

use std::future::pending;

use codewhale_protocol::runtime::ItemId;
use codewhale_tools::{Context, Live, Output, Prepared};
use tokio::sync::mpsc;

use crate::{Host, limits};

/// Runs a call to its end. An owner that cannot keep up makes the call wait before it prints more, and
/// never before it ends.
pub(crate) async fn run_shown(
    host: &dyn Host,
    item: &ItemId,
    prepared: Prepared,
    context: Context,
) -> Output {
    let (listener, mut pieces) = mpsc::channel(limits::PIECES_WAITING_MAX);
    let running = prepared.run(context.with_live(Live::to(listener)));
    let showing = async {
        while let Some(piece) = pieces.recv().await {
            if let Some(room) = host.text(item, &piece) {
                room.await;
            }
        }
        pending().await
    };
    let output = tokio::select! {
        biased;
        output = running => output,
        output = showing => output,
    };
    while let Ok(piece) = pieces.try_recv() {
        // The call is over and prints no more, so nothing waits for room.
        drop(host.text(item, &piece));
    }
    output
}
