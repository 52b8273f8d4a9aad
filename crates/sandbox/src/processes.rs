//! A running command: the process the runtime started, and everyone who comes from it.
//!
//! Where a command can be kept (Linux), nobody who comes from it outlives it, whatever session or
//! group they fled to; see `linux/keeper.rs`. Elsewhere that holds for its process group.

use std::io;
use std::os::fd::OwnedFd;
use std::process::Stdio;

use rustix::fs::{Mode, OFlags, open};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::{Command, Error, Errors, Stdin, Terminal};

#[cfg(not(target_os = "linux"))]
#[path = "processes/group.rs"]
mod system;
#[cfg(target_os = "linux")]
#[path = "processes/kept.rs"]
mod system;

pub(crate) use system::Processes;
#[cfg(target_os = "linux")]
pub(crate) use system::try_enclosure;

/// A command that has just started, with our ends of its pipes.
pub(crate) struct Started {
    pub(crate) processes: Processes,
    pub(crate) output: OwnedFd,
    /// Standard error, where it is kept apart.
    pub(crate) errors: Option<OwnedFd>,
    pub(crate) input: Option<OwnedFd>,
}

/// Starts a command. Waits for its program to be loaded, so it belongs off the async threads.
pub(crate) fn start(command: &Command) -> Result<Started, Error> {
    check_cwd(command)?;
    let start_error = |source| Error::Start {
        program: command.program.clone(),
        source,
    };
    let (theirs, ours) = match command.terminal {
        Some(terminal) => on_terminal(terminal),
        None => on_pipes(&command.stdin, command.errors),
    }
    .map_err(start_error)?;
    let processes = Processes::start(command, theirs)?;
    Ok(Started {
        processes,
        output: ours.output,
        errors: ours.errors,
        input: ours.input,
    })
}

/// The command's ends: standard input, output and error.
struct Theirs {
    stdin: Stdio,
    stdout: OwnedFd,
    stderr: OwnedFd,
    /// The terminal they all are.
    terminal: Option<OwnedFd>,
}

/// Our ends.
struct Ours {
    output: OwnedFd,
    errors: Option<OwnedFd>,
    input: Option<OwnedFd>,
}

/// Both outputs go into one pipe, so that their order is kept, unless one is wanted apart.
fn on_pipes(stdin: &Stdin, errors: Errors) -> io::Result<(Theirs, Ours)> {
    let (output, writer) = io::pipe()?;
    let (errors, stderr) = match errors {
        Errors::WithOutput => (None, OwnedFd::from(writer.try_clone()?)),
        Errors::Apart => {
            let (errors, writer) = io::pipe()?;
            (Some(errors.into()), writer.into())
        }
    };
    let (stdin, input) = match stdin {
        Stdin::Null => (Stdio::null(), None),
        Stdin::Bytes(_) | Stdin::Open => {
            let (reader, input) = io::pipe()?;
            (Stdio::from(reader), Some(input.into()))
        }
    };
    let theirs = Theirs {
        stdin,
        stdout: writer.into(),
        stderr,
        terminal: None,
    };
    let ours = Ours {
        output: output.into(),
        errors,
        input,
    };
    Ok((theirs, ours))
}

fn on_terminal(size: Terminal) -> io::Result<(Theirs, Ours)> {
    let output = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
    grantpt(&output)?;
    unlockpt(&output)?;
    tcsetwinsize(
        &output,
        Winsize {
            ws_row: size.rows,
            ws_col: size.columns,
            ws_xpixel: 0,
            ws_ypixel: 0,
        },
    )?;
    let name = ptsname(&output, Vec::new())?;
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
    let terminal = open(&*name, flags, Mode::empty())?;
    let theirs = Theirs {
        stdin: Stdio::from(terminal.try_clone()?),
        stdout: terminal.try_clone()?,
        stderr: terminal.try_clone()?,
        terminal: Some(terminal),
    };
    let ours = Ours {
        input: Some(output.try_clone()?),
        output,
        errors: None,
    };
    Ok((theirs, ours))
}

/// The system reports a missing directory and a missing program alike.
fn check_cwd(command: &Command) -> Result<(), Error> {
    let path = &command.cwd;
    match path.metadata() {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(_) => Err(io::ErrorKind::NotADirectory.into()),
        Err(source) => Err(source),
    }
    .map_err(|source| Error::WorkingDirectory {
        path: path.clone(),
        source,
    })
}

#[expect(
    clippy::disallowed_methods,
    reason = "this is the one place where child processes start"
)]
fn new_command(command: &Command) -> tokio::process::Command {
    let mut new = tokio::process::Command::new(&command.program);
    let environment = command.environment.iter();
    new.args(&command.arguments)
        .current_dir(&command.cwd)
        .env_clear()
        .envs(environment.map(|(name, value)| (name, value)));
    new
}
