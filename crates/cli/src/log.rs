//! The log: to standard error, without secrets.

use std::io::{self, Write};
use std::sync::Arc;

use codewhale_protocol::Redactor;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::prelude::*;

/// Starts logging. Each line passes the redactor.
pub(crate) fn start(level: Option<&str>, redactor: Arc<Redactor>) -> anyhow::Result<()> {
    let filter = match level {
        None => Targets::new().with_default(LevelFilter::WARN),
        Some(level) => level.parse::<Targets>().map_err(|error| {
            anyhow::anyhow!(
                "the log level {level:?} does not read ({error}); use error, warn, info or debug"
            )
        })?,
    };
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(Masked(redactor))
        .with_ansi(false)
        .with_target(true);
    tracing_subscriber::registry()
        .with(lines)
        .with(filter)
        .init();
    Ok(())
}

/// Makes writers that mask what they write.
struct Masked(Arc<Redactor>);

impl<'a> MakeWriter<'a> for Masked {
    type Writer = MaskedLine<'a>;

    fn make_writer(&'a self) -> Self::Writer {
        MaskedLine {
            redactor: &self.0,
            line: Vec::new(),
        }
    }
}

/// One line on its way out; written whole when it is dropped.
struct MaskedLine<'a> {
    redactor: &'a Redactor,
    line: Vec<u8>,
}

impl Write for MaskedLine<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.line.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for MaskedLine<'_> {
    fn drop(&mut self) {
        let line = String::from_utf8_lossy(&self.line);
        let _ = io::stderr().write_all(self.redactor.mask(&line).as_bytes());
    }
}
