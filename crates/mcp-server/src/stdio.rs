//! The door over a pair of pipes, one message per line.

mod bounded;

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use rmcp::service::{ServerInitializeError, serve_server_with_ct};
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_util::sync::CancellationToken;

use crate::{Door, limits};
use bounded::Bounded;

/// The conversation did not come about.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// What came first was not the beginning of MCP.
    #[error("the client did not begin an MCP session; start this command from an MCP client")]
    Begin(#[source] Box<ServerInitializeError>),
}

/// Serves one client until its input ends or `stop` fires. What still runs then is told to stop, and its
/// end is written down.
pub async fn over_stdio<R, W>(
    door: Door,
    input: R,
    output: W,
    stop: CancellationToken,
) -> Result<(), Error>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let gone = door.inner.gone.clone();
    let input = Watched {
        input,
        gone: gone.clone(),
    };
    let transport =
        AsyncRwTransport::new(input, output).with_max_line_length(limits::LINE_BYTES_MAX);
    let transport = Bounded::new(transport);
    let running = match serve_server_with_ct(door, transport, stop.clone()).await {
        Ok(running) => running,
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => {
            return Ok(());
        }
        Err(error) => return Err(Error::Begin(Box::new(error))),
    };
    let ended = running.waiting();
    tokio::pin!(ended);
    tokio::select! {
        _ = &mut ended => return Ok(()),
        () = stop.cancelled() => gone.cancel(),
        () = gone.cancelled() => {}
    }
    if tokio::time::timeout(limits::CLOSE_WAIT, ended)
        .await
        .is_err()
    {
        tracing::warn!("the client does not read any more; what was left to say is dropped");
    }
    Ok(())
}

/// An input that tells when it has ended, so that what runs can be told at once.
struct Watched<R> {
    input: R,
    gone: CancellationToken,
}

impl<R: AsyncRead + Unpin> AsyncRead for Watched<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = (buffer.filled().len(), buffer.remaining());
        let read = Pin::new(&mut self.input).poll_read(context, buffer);
        let has_ended = match &read {
            Poll::Ready(Ok(())) => before.1 > 0 && buffer.filled().len() == before.0,
            Poll::Ready(Err(_)) => true,
            Poll::Pending => false,
        };
        if has_ended {
            self.gone.cancel();
        }
        read
    }
}
