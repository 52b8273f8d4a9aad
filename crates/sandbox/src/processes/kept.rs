//! A command and its keeper.

use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{ExitStatus, Stdio};

use rustix::process::Signal;
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe::Receiver;
use tokio::process::Child;

use super::{Theirs, new_command};
use crate::linux::enclosure::Enclosure;
use crate::linux::entry::{Entry, REPORT_BYTES, Report};
use crate::support::Means;
use crate::{Command, Confinement, Error, Temporary, Walls, support};

/// The processes of one command. Dropped, they are killed: the keeper does it.
pub(crate) struct Processes {
    keeper: Child,
    /// One byte is a signal for everyone; its end is the end of everyone.
    control: Option<PipeWriter>,
    status: Receiver,
    all_gone: bool,
}

impl Processes {
    pub(super) fn start(command: &Command, theirs: Theirs) -> Result<Self, Error> {
        let start_error = |source| Error::Start {
            program: command.program.clone(),
            source,
        };
        let enclosure = enclosure(command)?;
        if let (Some(enclosure), Some(terminal)) = (&enclosure, &theirs.terminal) {
            let granted = enclosure.grant_terminal(terminal.as_raw_fd());
            granted.map_err(start_error)?;
        }
        let mut new = new_command(command);
        if let (Some(_), Temporary::At(path)) = (&enclosure, temporary(&command.walls)) {
            let path = if is_in_namespaces(&enclosure) {
                Path::new("/tmp")
            } else {
                path
            };
            new.env("TMPDIR", path);
        }
        new.stdin(theirs.stdin)
            .stdout(theirs.stdout)
            .stderr(theirs.stderr);
        let has_terminal = theirs.terminal.is_some();
        let std = new.as_std_mut();
        let pipes = prepare(
            std,
            enclosure,
            &command.cwd,
            has_terminal,
            Then::RunTheProgram,
        );
        let pipes = pipes.map_err(start_error)?;
        let spawned = new.spawn();
        drop(new);
        let keeper = match spawned {
            Ok(keeper) => keeper,
            Err(source) => return Err(not_started(command, pipes, source)),
        };
        let status = Receiver::from_owned_fd(OwnedFd::from(pipes.status)).map_err(start_error)?;
        Ok(Self {
            keeper,
            control: Some(pipes.control),
            status,
            all_gone: false,
        })
    }

    /// Waits until the command has ended, and says how. What comes from it may still run.
    pub(crate) async fn ended(&mut self) -> io::Result<ExitStatus> {
        match self.report().await? {
            Report::End(status) => Ok(ExitStatus::from_raw(status)),
            Report::Failed(_) | Report::Gone => Err(io::ErrorKind::InvalidData.into()),
        }
    }

    /// Waits until everyone is gone: until the keeper says so, or has ended itself.
    pub(crate) async fn gone(&mut self) {
        while !self.all_gone {
            match self.report().await {
                Ok(Report::End(_) | Report::Failed(_)) => {}
                Ok(Report::Gone) => self.all_gone = true,
                Err(_) => {
                    let _ = self.keeper.wait().await;
                    self.all_gone = true;
                }
            }
        }
    }

    /// The next report. One is written and read as a whole, so a wait for it can be given up.
    async fn report(&mut self) -> io::Result<Report> {
        let mut report = [0; REPORT_BYTES];
        self.status.read_exact(&mut report).await?;
        Report::read(report).ok_or_else(|| io::ErrorKind::InvalidData.into())
    }

    /// Sends a signal to everyone. That nobody is left is no failure.
    pub(crate) fn signal(&mut self, signal: Signal) {
        if let Some(control) = &mut self.control {
            let _ = control.write_all(&[signal.as_raw() as u8]);
        }
    }

    /// Kills everyone who is left.
    pub(crate) fn kill(&mut self) {
        self.control = None;
    }
}

fn temporary(walls: &Walls) -> &Temporary {
    match walls {
        Walls::Open => &Temporary::Fresh,
        Walls::Confined(confinement) => &confinement.temporary,
    }
}

fn is_in_namespaces(enclosure: &Option<Enclosure>) -> bool {
    enclosure.as_ref().is_some_and(Enclosure::has_namespaces)
}

fn enclosure(command: &Command) -> Result<Option<Enclosure>, Error> {
    let Walls::Confined(confinement) = &command.walls else {
        return Ok(None);
    };
    let enclosure = match support::means(confinement.backend) {
        Ok(Means::Namespaces) => Enclosure::with_namespaces(confinement, &command.cwd),
        Ok(Means::Landlock) => Enclosure::without_namespaces(confinement),
        Ok(Means::Seatbelt) => Err(io::ErrorKind::Unsupported.into()),
        Err(why) => return Err(Error::CannotConfine { why }),
    };
    enclosure.map(Some).map_err(|error| Error::CannotConfine {
        why: error.to_string(),
    })
}

fn not_started(command: &Command, pipes: Pipes, source: io::Error) -> Error {
    match (&command.walls, pipes.failed_step(&source)) {
        (Walls::Confined(_), Some(why)) => Error::CannotConfine { why },
        (Walls::Open | Walls::Confined(_), _) => Error::Start {
            program: command.program.clone(),
            source,
        },
    }
}

/// What is left to do once the walls stand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Then {
    RunTheProgram,
    /// End before anything runs: the walls were only tried.
    TurnBack,
}

/// How a process that turned back says so.
const TURNED_BACK: i32 = libc::ECANCELED;

/// Both ends of the pipes between runtime and keeper.
struct Pipes {
    control: PipeWriter,
    status: PipeReader,
    theirs: (PipeReader, PipeWriter),
    places: Vec<String>,
}

#[expect(
    unsafe_code,
    reason = "the safe interfaces know neither keepers nor walls"
)]
fn prepare(
    new: &mut std::process::Command,
    enclosure: Option<Enclosure>,
    cwd: &Path,
    has_terminal: bool,
    then: Then,
) -> io::Result<Pipes> {
    let (their_control, control) = io::pipe()?;
    let (status, their_status) = io::pipe()?;
    let pipes = [their_control.as_raw_fd(), their_status.as_raw_fd()];
    let places = enclosure
        .as_ref()
        .map(Enclosure::places)
        .unwrap_or_default();
    let mut entry = Entry::new(enclosure, &cwd.canonicalize()?, has_terminal, pipes)?;
    // SAFETY: between fork and exec only async-signal-safe functions may be called. `enter` makes
    // bare calls to the kernel and neither allocates nor locks nor can panic.
    unsafe {
        new.pre_exec(move || {
            entry.enter()?;
            match then {
                Then::RunTheProgram => Ok(()),
                Then::TurnBack => Err(io::Error::from_raw_os_error(TURNED_BACK)),
            }
        });
    }
    Ok(Pipes {
        control,
        status,
        theirs: (their_control, their_status),
        places,
    })
}

impl Pipes {
    /// The step that failed, if it was one. Only the keeper writes to the status by now.
    fn failed_step(self, source: &io::Error) -> Option<String> {
        let Self {
            mut status,
            theirs,
            places,
            control,
        } = self;
        drop((theirs, control));
        let mut report = [0; REPORT_BYTES];
        status.read_exact(&mut report).ok()?;
        match Report::read(report)? {
            Report::Failed(step) => Some(step.explain(&places, source)),
            Report::End(_) | Report::Gone => None,
        }
    }
}

/// Puts up the walls of namespaces around a process that ends before it runs anything.
pub(crate) fn try_enclosure() -> Result<(), String> {
    let in_words = |error: io::Error| error.to_string();
    let root = Path::new("/");
    let enclosure =
        Enclosure::with_namespaces(&Confinement::read_only(), root).map_err(in_words)?;
    #[expect(
        clippy::disallowed_methods,
        reason = "a process that runs no program, made where all of them are"
    )]
    let mut new = std::process::Command::new("/");
    new.stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let pipes =
        prepare(&mut new, Some(enclosure), root, false, Then::TurnBack).map_err(in_words)?;
    let spawned = new.spawn();
    drop(new);
    match spawned {
        Err(source) if source.raw_os_error() == Some(TURNED_BACK) => Ok(()),
        Err(source) => Err(pipes
            .failed_step(&source)
            .unwrap_or_else(|| in_words(source))),
        Ok(_) => Err("a process went on that was to turn back".to_owned()),
    }
}
