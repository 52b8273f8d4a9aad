//! Lines from the editor.

use std::io;

use codewhale_protocol::lines::{Line, Lines};
use tokio::io::{AsyncBufRead, AsyncBufReadExt};

/// The next line; nothing at the end. A last line without its end was cut off and is no line. What a
/// given-up read has taken is kept for the next.
pub(crate) async fn next(
    input: &mut (impl AsyncBufRead + Unpin),
    lines: &mut Lines,
) -> io::Result<Option<Line>> {
    loop {
        let bytes = input.fill_buf().await?;
        if bytes.is_empty() {
            return Ok(None);
        }
        let (taken, line) = lines.take(bytes);
        input.consume(taken);
        if line.is_some() {
            return Ok(line);
        }
    }
}
