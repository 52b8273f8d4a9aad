//! Starting the program, and seeing how it ends.

use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, Command};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::{App, Home, TOKEN, within};

/// The line that tells that the program serves, up to the address.
const LISTENING: &str = "Runtime API listening on http://";

/// Where commands are found. The environment of the tests is not that of the program.
const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// The program with its arguments, about to be started.
pub struct Program {
    binary: PathBuf,
    wrapper: Vec<OsString>,
    arguments: Vec<OsString>,
    environment: Vec<(String, OsString)>,
    directory: PathBuf,
    token: Option<String>,
    /// Whether someone writes to its standard input.
    is_heard: bool,
}

/// A program that has ended.
#[derive(Clone, Debug)]
pub struct Ended {
    /// Its exit code; `None` when a signal ended it.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// What it wrote to standard output.
    pub stdout: String,
    /// What it wrote to standard error.
    pub stderr: String,
}

impl Program {
    /// The program in this home, working in its workspace, with nothing else in its environment.
    pub fn new(binary: impl AsRef<Path>, home: &Home) -> Self {
        Self {
            binary: binary.as_ref().to_owned(),
            wrapper: Vec::new(),
            arguments: Vec::new(),
            environment: vec![
                ("PATH".to_owned(), PATH.into()),
                ("HOME".to_owned(), home.path().into()),
                ("CODEWHALE_HOME".to_owned(), home.path().into()),
            ],
            directory: home.workspace(),
            token: Some(TOKEN.to_owned()),
            is_heard: false,
        }
    }

    /// Adds arguments.
    #[must_use]
    pub fn arguments<'a>(mut self, arguments: impl IntoIterator<Item = &'a str>) -> Self {
        self.arguments
            .extend(arguments.into_iter().map(OsString::from));
        self
    }

    /// Sets a variable.
    #[must_use]
    pub fn variable(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.environment.push((name.to_owned(), value.into()));
        self
    }

    /// Gives it no token of the tests' own: the configuration decides, or it makes one.
    #[must_use]
    pub fn without_token(mut self) -> Self {
        self.token = None;
        self
    }

    /// Starts it through another program, whose arguments end with ours.
    #[must_use]
    pub fn through<'a>(mut self, wrapper: impl IntoIterator<Item = &'a str>) -> Self {
        self.wrapper = wrapper.into_iter().map(OsString::from).collect();
        self
    }

    /// Runs it to its end, with this on its standard input.
    pub async fn run_with(self, input: &str) -> Ended {
        let mut started = self.begin_heard();
        started.say(input).await;
        started.hang_up();
        started.ended().await
    }

    /// Starts it with a standard input that the test writes to.
    pub fn begin_heard(mut self) -> Started {
        self.is_heard = true;
        self.begin()
    }

    /// Works in another directory.
    #[must_use]
    pub fn within(mut self, directory: impl Into<PathBuf>) -> Self {
        self.directory = directory.into();
        self
    }

    /// Runs it to its end.
    pub async fn run(self) -> Ended {
        self.start().ended().await
    }

    /// Runs it to its end, for programs that need longer than things usually do.
    pub async fn run_within(self, time: Duration) -> Ended {
        let ended = tokio::time::timeout(time, self.start().ended_unhurried());
        let ended = ended.await;
        ended.unwrap_or_else(|_| panic!("waited {time:?} for a program to end"))
    }

    /// Starts it, to hear what it says before it ends.
    pub fn begin(self) -> Started {
        Started {
            process: self.start(),
        }
    }

    /// Serves over HTTP on a free port, and waits until it does.
    pub async fn serve(self) -> App {
        self.arguments(["app-server", "--http", "--port", "0"])
            .listen()
            .await
    }

    /// Starts it with the arguments it has, and waits until it serves.
    pub async fn listen(mut self) -> App {
        let token = self.token.take();
        if let Some(token) = &token {
            self = self.arguments(["--auth-token", token]);
        }
        let process = self.start();
        let address = within("the program to serve", process.address()).await;
        let Some(address) = address else {
            panic!("the program ended: {:?}", process.ended().await);
        };
        App {
            process,
            address: address.parse().expect("an address is printed"),
            token: token.unwrap_or_default(),
        }
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "tests start the program itself, and kill it when they are done"
    )]
    pub(super) fn spawn(self, input: Stdio) -> Child {
        let mut words = self.wrapper;
        words.push(self.binary.into());
        words.extend(self.arguments);
        Command::new(&words[0])
            .args(&words[1..])
            .env_clear()
            .envs(self.environment)
            .current_dir(self.directory)
            .stdin(input)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap_or_else(|error| panic!("{words:?} does not start: {error}"))
    }

    fn start(self) -> Process {
        let input = match self.is_heard {
            true => Stdio::piped(),
            false => Stdio::null(),
        };
        let mut child = self.spawn(input);
        let stdout = child.stdout.take().expect("standard output is a pipe");
        let stderr = child.stderr.take().expect("standard error is a pipe");
        Process {
            stdout: Heard::listen(stdout),
            stderr: Heard::listen(stderr),
            child,
        }
    }
}

/// A program that runs and serves nobody. Dropping it kills it.
pub struct Started {
    process: Process,
}

impl Started {
    /// Writes to its standard input. It may have ended meanwhile.
    pub async fn say(&mut self, text: &str) {
        let stdin = self.process.child.stdin.as_mut();
        let stdin = stdin.expect("its standard input is a pipe that is open");
        let _ = stdin.write_all(text.as_bytes()).await;
        let _ = stdin.flush().await;
    }

    /// Closes its standard input.
    pub fn hang_up(&mut self) {
        drop(self.process.child.stdin.take());
    }

    /// Ends it by a signal.
    pub async fn end_by(self, signal: Signal) -> Ended {
        self.process.end_by(signal).await
    }

    /// Kills it, without a chance to say anything.
    pub async fn kill(self) -> Ended {
        self.process.kill().await
    }

    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.process.pid()
    }

    /// Waits until it has written these words to standard output, and tells all it wrote.
    pub async fn until_said(&self, words: &str) -> String {
        within(words, self.process.stdout.until(words)).await
    }

    /// Waits until it has written so many lines to standard output, and tells the last of them.
    pub async fn line(&self, number: usize) -> String {
        let what = format!("line {number} of standard output");
        within(&what, self.process.stdout.line(number)).await
    }

    /// Waits for its end.
    pub async fn ended(self) -> Ended {
        self.process.ended().await
    }
}

/// A program that runs. Dropping it kills it.
pub(super) struct Process {
    child: Child,
    pub(super) stdout: Heard,
    pub(super) stderr: Heard,
}

impl Process {
    pub(super) fn pid(&self) -> u32 {
        self.child.id().expect("it is not waited for yet")
    }

    pub(super) async fn kill(mut self) -> Ended {
        self.child.start_kill().expect("it can be killed");
        self.ended().await
    }

    pub(super) async fn end_by(self, signal: Signal) -> Ended {
        let pid = i32::try_from(self.pid()).ok().and_then(Pid::from_raw);
        let pid = pid.expect("a process has a number");
        kill_process(pid, signal).expect("it can be signalled");
        self.ended().await
    }

    pub(super) async fn ended(self) -> Ended {
        within("the program to end", self.ended_unhurried()).await
    }

    async fn ended_unhurried(mut self) -> Ended {
        let status = self.child.wait().await;
        let status = status.expect("a child can be waited for");
        Ended {
            code: status.code(),
            signal: status.signal(),
            stdout: self.stdout.whole().await,
            stderr: self.stderr.whole().await,
        }
    }

    /// The address it tells; `None` when it ends instead.
    async fn address(&self) -> Option<String> {
        let mut output = self.stdout.output.subscribe();
        let told = output.wait_for(|output| output.is_over || address_in(&output.text()).is_some());
        let told = told.await.expect("the sender stands beside us");
        address_in(&told.text())
    }
}

fn address_in(text: &str) -> Option<String> {
    let (_, rest) = text.split_once(LISTENING)?;
    let (address, _) = rest.split_once('\n')?;
    Some(address.to_owned())
}

/// What was heard of a program on one of its outputs.
pub(super) struct Heard {
    output: watch::Sender<Output>,
    listening: JoinHandle<()>,
}

#[derive(Default)]
struct Output {
    bytes: Vec<u8>,
    is_over: bool,
}

impl Output {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }
}

impl Heard {
    #[expect(
        clippy::disallowed_methods,
        reason = "it is joined when the program has ended, which ends the pipe"
    )]
    fn listen(mut pipe: impl AsyncRead + Unpin + Send + 'static) -> Self {
        let output = watch::Sender::new(Output::default());
        let tell = output.clone();
        let listening = tokio::spawn(async move {
            let mut piece = vec![0; 8 * 1024];
            while let Ok(length @ 1..) = pipe.read(&mut piece).await {
                tell.send_modify(|output| output.bytes.extend_from_slice(&piece[..length]));
            }
            tell.send_modify(|output| output.is_over = true);
        });
        Self { output, listening }
    }

    pub(super) fn text(&self) -> String {
        self.output.borrow().text()
    }

    /// Waits until these words were written, and tells everything that was.
    pub(super) async fn until(&self, words: &str) -> String {
        let mut output = self.output.subscribe();
        let said = output.wait_for(|output| output.text().contains(words));
        said.await.expect("the sender stands beside us").text()
    }

    /// Waits until so many lines were written, and tells the last of them.
    async fn line(&self, number: usize) -> String {
        let mut output = self.output.subscribe();
        let is_there = |output: &Output| {
            let ends = output.bytes.iter().filter(|byte| **byte == b'\n');
            output.is_over || ends.count() >= number
        };
        let said = output.wait_for(is_there).await;
        let text = said.expect("the sender stands beside us").text();
        let line = text.lines().nth(number - 1);
        let line = line.unwrap_or_else(|| panic!("it ended before line {number}: {text}"));
        line.to_owned()
    }

    async fn whole(self) -> String {
        within("the output to end", self.listening)
            .await
            .expect("listening does not fail");
        self.output.borrow().text()
    }
}
