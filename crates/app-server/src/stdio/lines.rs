//! Lines from a client.

use std::io;

use codewhale_protocol::lines::{Line, Lines};
use tokio::io::{AsyncBufRead, AsyncBufReadExt};

/// The next line; `None` at the end of input. A last line needs no end. Giving up on it loses
/// nothing.
pub(super) async fn next(
    input: &mut (impl AsyncBufRead + Unpin),
    lines: &mut Lines,
) -> io::Result<Option<Line>> {
    loop {
        let bytes = input.fill_buf().await?;
        if bytes.is_empty() {
            return Ok(lines.rest());
        }
        let (taken, line) = lines.take(bytes);
        input.consume(taken);
        if line.is_some() {
            return Ok(line);
        }
    }
}
