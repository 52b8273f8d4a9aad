//! Our ends of a command's pipes or of its terminal.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::{Arc, Mutex, PoisonError};

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;
use tokio::io::unix::AsyncFd;

use crate::capture::Capture;
use crate::limits::READ_BYTES;
use crate::telling::Telling;

/// What a command says, read into a capture that others may look at.
pub(crate) struct Output {
    source: AsyncFd<OwnedFd>,
    bytes: Vec<u8>,
    capture: Arc<Mutex<Capture>>,
    pub(crate) telling: Telling,
}

impl Output {
    pub(crate) fn new(
        source: OwnedFd,
        capture: Arc<Mutex<Capture>>,
        telling: Telling,
    ) -> io::Result<Self> {
        Ok(Self {
            source: waiting_for(source)?,
            bytes: vec![0; READ_BYTES],
            capture,
            telling,
        })
    }

    /// Reads until nobody holds the other end any more. Stopped and called again, it goes on
    /// where it was.
    pub(crate) async fn collect(&mut self) {
        let Self {
            source,
            bytes,
            capture,
            telling,
        } = self;
        loop {
            let may_read = telling.has_room();
            let ready = tokio::select! {
                biased;
                () = telling.tell() => continue,
                ready = source.readable(), if may_read => ready,
            };
            let Ok(mut ready) = ready else {
                return;
            };
            let read = ready.try_io(|source| Ok(rustix::io::read(source, &mut *bytes)?));
            match read {
                // A terminal that nobody has open any more answers with an error.
                Ok(Ok(0) | Err(_)) => return telling.tell_rest().await,
                Ok(Ok(count)) => {
                    lock(capture).push(&bytes[..count]);
                    telling.push(&bytes[..count]);
                }
                Err(_would_block) => {}
            }
            // Somebody who never stops talking does not keep others from their turn.
            tokio::task::consume_budget().await;
        }
    }
}

/// Everything a command says: its output, and its standard error where that is kept apart.
pub(crate) struct Outputs {
    pub(crate) output: Output,
    pub(crate) errors: Option<Output>,
}

impl Outputs {
    /// Reads both to their ends, see [`Output::collect`].
    pub(crate) async fn collect(&mut self) {
        let Self { output, errors } = self;
        let errors = async {
            if let Some(errors) = errors {
                errors.collect().await;
            }
        };
        tokio::join!(output.collect(), errors);
    }
}

/// What a command reads.
pub(crate) struct Input {
    sink: AsyncFd<OwnedFd>,
    is_terminal: bool,
}

/// What a terminal takes for the end of the input.
const END_OF_TRANSMISSION: &[u8] = &[4];

impl Input {
    pub(crate) fn new(sink: OwnedFd, is_terminal: bool) -> io::Result<Self> {
        Ok(Self {
            sink: waiting_for(sink)?,
            is_terminal,
        })
    }

    pub(crate) async fn write(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let mut ready = self.sink.writable().await?;
            match ready.try_io(|sink| Ok(rustix::io::write(sink, bytes)?)) {
                Ok(Ok(0)) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(Ok(count)) => bytes = &bytes[count..],
                Ok(Err(error)) if error.raw_os_error() == Some(Errno::INTR.raw_os_error()) => {}
                Ok(Err(error)) => return Err(error),
                Err(_would_block) => {}
            }
        }
        Ok(())
    }

    /// Ends the input.
    pub(crate) async fn close(mut self) -> io::Result<()> {
        if self.is_terminal {
            self.write(END_OF_TRANSMISSION).await?;
        }
        Ok(())
    }
}

#[expect(
    unsafe_code,
    reason = "the safe way to wait for any file is deprecated; this one wants a promise"
)]
fn waiting_for(file: OwnedFd) -> io::Result<AsyncFd<OwnedFd>> {
    let flags = fcntl_getfl(file.as_fd())?;
    fcntl_setfl(file.as_fd(), flags | OFlags::NONBLOCK)?;
    // SAFETY: the file is ours alone and stays open and the same for as long as it is registered:
    // nobody gets at it but through the `AsyncFd`, which only lends it.
    Ok(unsafe { AsyncFd::register(file) }?)
}

pub(crate) fn lock<T>(shared: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    // What it protects is whole after every step.
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
