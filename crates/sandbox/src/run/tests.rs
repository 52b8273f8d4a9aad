use std::fs;
use std::io;

use tempfile::TempDir;
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe::{self, Receiver};
use tokio::time::timeout;

use super::*;
use crate::{Errors, Limits, Stdin};

/// Far more than any of these commands needs; a test that reaches it has failed.
const LONG: Duration = Duration::from_secs(60);

fn shell(script: &str) -> Command {
    Command {
        arguments: vec!["-c".into(), script.into()],
        environment: vec![("PATH".into(), "/usr/bin:/bin".into())],
        limits: Limits {
            wall_time: LONG,
            ..Limits::default()
        },
        ..Command::new("/bin/sh", "/")
    }
}

async fn outcome(command: Command) -> Outcome {
    run(command, &CancellationToken::new())
        .await
        .expect("the command starts")
}

async fn check(script: &str, end: End, text: &str) {
    let outcome = outcome(shell(script)).await;
    assert_eq!(
        (outcome.end, outcome.output.text.as_str()),
        (end, text),
        "{script}"
    );
}

/// Waits until a process runs no more. It may still wait to be collected by its parent.
async fn ended(pid: i32) {
    until(|| state(pid).is_none_or(|state| state == 'Z')).await;
}

/// Waits until a process is gone and collected.
async fn gone(pid: i32) {
    until(|| state(pid).is_none()).await;
}

fn state(pid: i32) -> Option<char> {
    let facts = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, after_name) = facts.rsplit_once(") ")?;
    after_name.chars().next()
}

async fn until(holds: impl Fn() -> bool) {
    let wait = async {
        while !holds() {
            tokio::task::yield_now().await;
        }
    };
    timeout(LONG, wait).await.expect("the state is reached");
}

/// A named pipe through which a command tells the test how far it is.
struct Signpost {
    directory: TempDir,
    reader: Receiver,
}

impl Signpost {
    async fn new() -> Self {
        let directory = TempDir::new().expect("a directory");
        let path = directory.path().join("post");
        let made = outcome(shell(&format!("mkfifo {}", path.display()))).await;
        assert_eq!(made.end, End::Exited(0));
        let reader = pipe::OpenOptions::new()
            .read_write(true)
            .open_receiver(path);
        Self {
            directory,
            reader: reader.expect("the named pipe opens"),
        }
    }

    fn path(&self) -> String {
        self.directory.path().join("post").display().to_string()
    }

    /// The number that the command writes as its next line.
    async fn number(&mut self) -> i32 {
        let mut line = String::new();
        while !line.ends_with('\n') {
            let byte = timeout(LONG, self.reader.read_u8()).await;
            line.push(
                byte.expect("the command writes")
                    .expect("it can be read")
                    .into(),
            );
        }
        line.trim().parse().expect("a process id")
    }
}

#[tokio::test]
async fn a_command_ends_with_its_own_code() {
    check("echo hello", End::Exited(0), "hello\n").await;
    check("exit 7", End::Exited(7), "").await;
    check("kill -9 $$", End::Signaled(9), "").await;
}

#[tokio::test]
async fn output_and_errors_keep_the_order_they_were_written_in() {
    let script = "for i in 1 2 3; do echo out $i; echo err $i >&2; done";
    check(
        script,
        End::Exited(0),
        "out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n",
    )
    .await;
}

#[tokio::test]
async fn long_output_keeps_its_beginning_and_its_end() {
    let mut command = shell("seq 1 10000");
    command.limits.output_bytes_max = 51;
    let outcome = outcome(command).await;
    assert_eq!(outcome.end, End::Exited(0));
    assert_eq!(
        outcome.output,
        Captured {
            text: "1\n2\n3\n4\n5\n\n[... 48843 bytes left out ...]\n9993\n9994\n9995\n9996\n9997\n9998\n9999\n10000\n".into(),
            bytes_total: 48_894,
            bytes_left_out: 48_843,
        }
    );
}

#[tokio::test]
async fn a_command_that_never_stops_talking_is_stopped_by_its_time() {
    let mut command = shell("yes");
    command.limits.wall_time = Duration::from_secs(1);
    let outcome = outcome(command).await;
    assert_eq!(outcome.end, End::TimedOut);
    assert!(outcome.output.text.len() <= Limits::default().output_bytes_max + 100);
    assert!(outcome.output.bytes_left_out > 0);
    assert!(outcome.duration >= Duration::from_secs(1));
}

/// Runs a script that writes its process id to the named pipe `$POST` when it is ready, and
/// cancels it then.
async fn cancelled_when_ready(script: &str) -> (i32, Outcome) {
    let mut post = Signpost::new().await;
    let mut command = shell(script);
    command.environment.push(("POST".into(), post.path()));
    let cancel = CancellationToken::new();
    let (outcome, pid) = tokio::join!(run(command, &cancel), async {
        let pid = post.number().await;
        cancel.cancel();
        pid
    });
    (pid, outcome.expect("the command starts"))
}

#[tokio::test]
async fn a_command_that_ignores_the_polite_signal_is_killed() {
    let script = "trap '' TERM; echo $$ >$POST; while :; do sleep 1000; done";
    let (pid, outcome) = cancelled_when_ready(script).await;
    assert_eq!(outcome.end, End::Cancelled);
    gone(pid).await;
}

#[tokio::test]
async fn a_command_may_clean_up_before_it_is_killed() {
    let script = "trap 'echo cleaned; exit' TERM; sleep 1000 & echo $$ >$POST; wait";
    let (pid, outcome) = cancelled_when_ready(script).await;
    assert_eq!(
        (outcome.end, outcome.output.text.as_str()),
        (End::Cancelled, "cleaned\n")
    );
    gone(pid).await;
}

#[tokio::test]
async fn a_cancelled_command_does_not_even_start() {
    let directory = TempDir::new().expect("a directory");
    let cancel = CancellationToken::new();
    cancel.cancel();
    let command = Command {
        cwd: directory.path().into(),
        ..shell("touch started")
    };
    let outcome = run(command, &cancel).await.expect("that is no error");
    assert_eq!(outcome.end, End::Cancelled);
    assert!(!directory.path().join("started").exists());
}

#[tokio::test]
async fn a_background_child_that_holds_the_output_neither_delays_nor_survives_the_end() {
    for script in [
        "sleep 1000 & echo $!",
        "(trap '' TERM; sleep 1000) & echo $!",
        "sleep 1000 >/dev/null 2>&1 & echo $!",
        "nohup sleep 1000 & echo $!",
    ] {
        let outcome = outcome(shell(script)).await;
        assert_eq!(outcome.end, End::Exited(0), "{script}");
        ended(outcome.output.text.trim().parse().expect("a process id")).await;
    }
}

#[tokio::test]
async fn a_chatty_background_child_is_bounded_by_the_drain() {
    let mut post = Signpost::new().await;
    let outcome = outcome(shell(&format!("yes & echo $! >{}", post.path()))).await;
    assert_eq!(outcome.end, End::Exited(0));
    ended(post.number().await).await;
}

#[tokio::test]
async fn a_time_limit_reaches_the_children_of_children() {
    let mut post = Signpost::new().await;
    let script = format!("sh -c 'sleep 1000 & echo $! >{}; wait' & wait", post.path());
    let mut command = shell(&script);
    command.limits.wall_time = Duration::from_secs(2);
    assert_eq!(outcome(command).await.end, End::TimedOut);
    ended(post.number().await).await;
}

#[tokio::test]
async fn losing_interest_kills_the_group_and_leaves_no_zombie() {
    let mut post = Signpost::new().await;
    let script = format!(
        "trap '' TERM; sleep 1000 & echo $! >{0}; echo $$ >{0}; wait",
        post.path()
    );
    let cancel = CancellationToken::new();
    let (child, leader) = tokio::select! {
        outcome = run(shell(&script), &cancel) => panic!("it was to run on: {outcome:?}"),
        pids = async { (post.number().await, post.number().await) } => pids,
    };
    ended(child).await;
    gone(leader).await;
}

#[tokio::test]
async fn the_environment_is_exactly_what_was_given() {
    let given = [
        ("PATH", "/usr/bin:/bin"),
        ("KEY", "two words\nand a line"),
        ("EMPTY", ""),
    ];
    let environment = given
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec();
    let command = Command {
        program: "env".into(),
        arguments: vec!["-0".into()],
        environment,
        ..shell("")
    };
    let outcome = outcome(command).await;
    let mut seen: Vec<_> = outcome.output.text.split_terminator('\0').collect();
    seen.sort_unstable();
    assert_eq!(
        seen,
        ["EMPTY=", "KEY=two words\nand a line", "PATH=/usr/bin:/bin"]
    );
}

#[tokio::test]
async fn nothing_is_there_to_read_unless_it_is_given() {
    check("cat; echo end", End::Exited(0), "end\n").await;
    let command = Command {
        stdin: Stdin::Bytes(b"given".to_vec()),
        ..shell("cat; echo end")
    };
    assert_eq!(outcome(command).await.output.text, "givenend\n");
}

#[tokio::test]
async fn input_that_nobody_reads_holds_up_nothing() {
    let stdin = Stdin::Bytes(vec![b'x'; 1 << 20]);
    let unread = outcome(Command {
        stdin: stdin.clone(),
        ..shell("exit 3")
    })
    .await;
    assert_eq!(unread.end, End::Exited(3));
    let echoed = outcome(Command {
        stdin,
        ..shell("cat")
    })
    .await;
    assert_eq!(
        (echoed.end, echoed.output.bytes_total),
        (End::Exited(0), 1 << 20)
    );
}

#[tokio::test]
async fn a_command_leads_its_own_session_without_a_terminal() {
    let session = "cut -d ' ' -f 1,5,6,7 /proc/$$/stat";
    let outcome = outcome(shell(session)).await;
    let facts: Vec<i32> = outcome
        .output
        .text
        .split_whitespace()
        .map(|fact| fact.parse().expect("a number"))
        .collect();
    let [pid, group, session, terminal] = facts[..] else {
        panic!("four facts: {facts:?}")
    };
    assert_eq!((group, session, terminal), (pid, pid, 0));
    check(
        "(: </dev/tty) 2>/dev/null || echo none",
        End::Exited(0),
        "none\n",
    )
    .await;
}

#[tokio::test]
async fn a_command_starts_where_it_is_told() {
    let directory = TempDir::new().expect("a directory");
    let cwd = fs::canonicalize(directory.path()).expect("it exists");
    let command = Command {
        cwd: cwd.clone(),
        ..shell("pwd")
    };
    assert_eq!(
        outcome(command).await.output.text,
        format!("{}\n", cwd.display())
    );
}

#[tokio::test]
async fn what_cannot_start_says_what_is_missing() {
    let cancel = CancellationToken::new();
    let error = |command: Command| async { run(command, &cancel).await.expect_err("no start") };

    let cwd = error(Command {
        cwd: "/no/such/place".into(),
        ..shell("true")
    })
    .await;
    assert_eq!(
        cwd.to_string(),
        "could not use /no/such/place as the working directory"
    );
    let file = error(Command {
        cwd: "/etc/passwd".into(),
        ..shell("true")
    })
    .await;
    assert_eq!(
        file.to_string(),
        "could not use /etc/passwd as the working directory"
    );
    let program = error(Command {
        program: "/no/such/program".into(),
        ..shell("")
    })
    .await;
    assert_eq!(program.to_string(), "could not start /no/such/program");
    assert!(matches!(program, Error::Start { source, .. }
        if source.kind() == io::ErrorKind::NotFound));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_commands_at_once_do_not_disturb_each_other() {
    let one = |code: i32| async move {
        let script = format!("echo {code}; exit {code}");
        check(&script, End::Exited(code), &format!("{code}\n")).await;
    };
    let mut all = tokio::task::JoinSet::new();
    (0..40).for_each(|code| drop(all.spawn(one(code))));
    while let Some(done) = all.join_next().await {
        done.expect("each has its own end");
    }
}

#[tokio::test]
async fn errors_that_are_kept_apart_do_not_stand_in_the_output() {
    let script = "echo out; echo err >&2; echo more; head -c 100000 /dev/zero >&2";
    let outcome = outcome(Command {
        errors: Errors::Apart,
        ..shell(script)
    })
    .await;
    assert_eq!(outcome.end, End::Exited(0));
    assert_eq!(outcome.output.text, "out\nmore\n");
    assert!(outcome.errors.text.starts_with("err\n"));
    assert_eq!(outcome.errors.bytes_total, 100_004);
}

#[tokio::test]
async fn what_a_command_says_is_told_while_it_runs() {
    let directory = TempDir::new().expect("a temporary directory");
    let go = directory.path().join("go");
    let script = format!(
        "printf 'first é'; until [ -e {} ]; do sleep 0.01; done; echo second",
        go.display()
    );
    let (listener, mut heard) = mpsc::channel(1);
    let cancel = CancellationToken::new();
    let listening = async {
        let first: String = heard.recv().await.expect("it is told before the end");
        fs::write(&go, "").expect("it can be written");
        let mut all = first.clone();
        while let Some(piece) = heard.recv().await {
            all.push_str(&piece);
        }
        (first, all)
    };
    let running = run_told(shell(&script), listener, &cancel);
    let (outcome, (first, all)) = tokio::join!(running, listening);
    let outcome = outcome.expect("the command starts");
    assert_eq!(first, "first é");
    assert_eq!(all, "first ésecond\n");
    assert_eq!(outcome.output.text, all);
}

#[tokio::test]
async fn a_listener_who_takes_nothing_holds_up_the_command_and_not_its_end() {
    let (listener, _heard) = mpsc::channel(1);
    let mut command = shell("yes");
    command.limits.wall_time = Duration::from_millis(300);
    let outcome = run_told(command, listener, &CancellationToken::new()).await;
    let outcome = outcome.expect("the command starts");
    assert_eq!(outcome.end, End::TimedOut);
    let bytes = outcome.output.bytes_total;
    assert!(bytes < 1024 * 1024, "{bytes} bytes were read and not told");
}

#[tokio::test]
async fn a_listener_who_leaves_does_not_matter_to_the_command() {
    let (listener, heard) = mpsc::channel(1);
    drop(heard);
    let outcome = run_told(shell("seq 100000"), listener, &CancellationToken::new()).await;
    let outcome = outcome.expect("the command starts");
    assert_eq!(outcome.end, End::Exited(0));
    assert_eq!(outcome.output.bytes_total, 588_895);
}

#[tokio::test]
async fn what_a_command_says_to_its_terminal_is_told_too() {
    let (listener, mut heard) = mpsc::channel(16);
    let mut command = shell("echo one; echo two >&2");
    command.terminal = Some(crate::Terminal::default());
    let outcome = run_told(command, listener, &CancellationToken::new()).await;
    let mut told = String::new();
    while let Some(piece) = heard.recv().await {
        told.push_str(&piece);
    }
    assert_eq!(told, "one\r\ntwo\r\n");
    assert_eq!(outcome.expect("the command starts").output.text, told);
}
