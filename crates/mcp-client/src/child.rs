//! A server that is a process of its own.
//!
//! It starts through `codewhale_sandbox` like every other process: a clean environment, a session
//! of its own, walls where they are due, and nobody left behind. What the sandbox reads from a
//! command is a bounded text, made for people; messages need a pipe. So the process gets two named
//! pipes for its standard input and output, and the sandbox keeps what it says on standard error.

use std::ffi::OsString;
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use codewhale_sandbox::{Command, End, Limits, Running, State, Stdin, Walls};
use rustix::fs::{CWD, Mode, OFlags, mkfifoat, open};
use tempfile::TempDir;
use tokio::net::unix::pipe::{OpenOptions, Receiver, Sender};

use crate::Error;
use crate::limits::{CHILD_WALL_TIME, STDERR_BYTES_MAX, STDERR_LINES_MAX};
use crate::place::Place;
use crate::request::quoted;
use crate::settings::{Origin, Program};

/// Puts the pipes in place of its own standard input and output, and becomes the program.
const ENTRY: &str = r#"i=$1; o=$2; shift 2; exec "$@" <"$i" >"$o""#;

/// A running process. Dropped, it is killed with all that comes from it.
pub(crate) struct Child {
    running: Running,
    /// The pipes go with the process.
    _pipes: TempDir,
}

/// Our ends of its pipes: what it says, and what it is told.
pub(crate) type Ends = (Receiver, Sender);

impl Child {
    pub(crate) async fn start(
        program: &Program,
        origin: Origin,
        place: &Place,
    ) -> Result<(Self, Ends), Error> {
        let made = DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&place.pipes);
        made.map_err(Error::Pipes)?;
        let pipes = tempfile::Builder::new()
            .prefix("mcp-")
            .tempdir_in(&place.pipes)
            .map_err(Error::Pipes)?;
        let (input, output) = (pipes.path().join("in"), pipes.path().join("out"));
        let ends = ends(&input, &output).map_err(Error::Pipes)?;
        let words = [&input, &output].map(OsString::from);
        let words = ["-c", ENTRY, "sh"]
            .map(OsString::from)
            .into_iter()
            .chain(words)
            .chain([OsString::from(&program.command)])
            .chain(program.args.iter().map(OsString::from));
        let command = Command {
            arguments: words.collect(),
            environment: environment(program, place),
            stdin: Stdin::Null,
            limits: Limits {
                wall_time: CHILD_WALL_TIME,
                output_bytes_max: STDERR_BYTES_MAX,
                ..Limits::default()
            },
            walls: walls(origin, place, pipes.path()),
            ..Command::new("/bin/sh", cwd(program, origin, place)?)
        };
        let running = codewhale_sandbox::start(command)
            .await
            .map_err(Error::Start)?;
        let child = Self {
            running,
            _pipes: pipes,
        };
        Ok((child, ends))
    }

    /// Waits for its end, and tells it.
    pub(crate) async fn ended(&self) -> Error {
        loop {
            let how = match self.running.wait(CHILD_WALL_TIME).await {
                State::Running => continue,
                State::Over(outcome) => told(outcome.end),
                State::Lost => "nobody knows how".to_owned(),
            };
            return Error::Ended {
                how,
                said: self.last_words(),
            };
        }
    }

    /// Waits until it ends by itself; then it is made to.
    pub(crate) async fn stop(self, grace: Duration) {
        if self.running.wait(grace).await == State::Running {
            self.running.kill().await;
        }
    }

    fn last_words(&self) -> String {
        let said = self.running.output().text;
        let lines: Vec<&str> = said.lines().collect();
        let last = &lines[lines.len().saturating_sub(STDERR_LINES_MAX)..];
        let last = last.join("\n");
        let start = last.len().saturating_sub(quoted(&last).len());
        last[last.ceil_char_boundary(start)..].trim().to_owned()
    }
}

fn ends(input: &Path, output: &Path) -> std::io::Result<Ends> {
    for pipe in [input, output] {
        mkfifoat(CWD, pipe, Mode::RUSR | Mode::WUSR)?;
    }
    // Without a reader yet, a pipe opens for reading and writing only. Its end is told by the
    // process and by the other pipe.
    let flags = OFlags::RDWR | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let to_it = Sender::from_owned_fd(open(input, flags, Mode::empty())?)?;
    let from_it = OpenOptions::new().open_receiver(output)?;
    Ok((from_it, to_it))
}

fn environment(program: &Program, place: &Place) -> Vec<(String, String)> {
    let ours = place.environment.iter();
    let ours = ours.filter(|(name, _)| !program.env.contains_key(name));
    let theirs = program.env.clone();
    ours.cloned().chain(theirs).collect()
}

/// A server the user configured may do what the user may. One that came with a repository is held
/// like the commands of that repository.
fn walls(origin: Origin, place: &Place, pipes: &Path) -> Walls {
    match (origin, &place.walls) {
        (Origin::User | Origin::Plugin, _) | (Origin::Workspace, Walls::Open) => Walls::Open,
        (Origin::Workspace, Walls::Confined(confinement)) => {
            let mut confinement = confinement.clone();
            confinement.writable.push(pipes.to_owned());
            Walls::Confined(confinement).renewed()
        }
    }
}

/// Where it runs. A server of a workspace stays in it.
fn cwd(program: &Program, origin: Origin, place: &Place) -> Result<PathBuf, Error> {
    let Some(cwd) = &program.cwd else {
        return Ok(place.workspace.clone());
    };
    let cwd = place.workspace.join(cwd);
    if origin != Origin::Workspace {
        return Ok(cwd);
    }
    let inside = |path: &Path| -> std::io::Result<bool> {
        Ok(path
            .canonicalize()?
            .starts_with(place.workspace.canonicalize()?))
    };
    match inside(&cwd) {
        Ok(true) => Ok(cwd),
        Ok(false) => Err(Error::Handshake {
            why: "its `cwd` is outside the workspace it came with".to_owned(),
        }),
        Err(source) => Err(Error::Start(codewhale_sandbox::Error::WorkingDirectory {
            path: cwd,
            source,
        })),
    }
}

fn told(end: End) -> String {
    match end {
        End::Exited(code) => format!("exit code {code}"),
        End::Signaled(signal) => format!("signal {signal}"),
        End::TimedOut => "its time was up".to_owned(),
        End::Cancelled => "it was stopped".to_owned(),
    }
}
