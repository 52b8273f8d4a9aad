//! Shapes of commands that hang a session elsewhere. Here each ends within its limit and a little
//! more, and leaves nobody behind, in open walls and in both kinds of closed ones.

use std::fs;
use std::time::Duration;

use crate::lab::Lab;
use codewhale_sandbox::{Command, Stdin, Walls, run};
use tokio_util::sync::CancellationToken;

/// What a command may take in all: its limit, the grace before it is killed, and a busy machine.
const LIMIT: Duration = Duration::from_secs(1);
const LIMIT_AND_MORE: Duration = Duration::from_secs(3);

/// Runs a script and checks that it ends in time and that nobody it started is left.
async fn ends(script: &str) {
    for lab in [Lab::new(), Lab::without_namespaces()] {
        for walls in [Walls::Open, Walls::Confined(lab.confinement())] {
            let command = Command {
                walls,
                ..lab.command(script)
            };
            check(&lab, command, script).await;
        }
    }
}

async fn check(lab: &Lab, mut command: Command, script: &str) {
    let mark = format!("MARK={}", lab.workspace.display());
    let (name, value) = mark.split_once('=').unwrap();
    command.environment.push((name.into(), value.into()));
    command.limits.wall_time = LIMIT;
    let started = std::time::Instant::now();
    run(command, &CancellationToken::new()).await.unwrap();
    assert!(started.elapsed() < LIMIT_AND_MORE, "{script}");
    let left = fs::read_dir("/proc").unwrap().flatten().filter(|entry| {
        let environment = fs::read(entry.path().join("environ")).unwrap_or_default();
        let mut variables = environment.split(|byte| *byte == 0);
        variables.any(|variable| variable == mark.as_bytes())
    });
    assert_eq!(left.count(), 0, "{script}");
}

#[tokio::test]
async fn a_background_child_keeps_the_output_open() {
    ends("sleep 1000 & echo started").await;
}

#[tokio::test]
async fn a_background_child_ignores_the_hangup() {
    ends("nohup sleep 1000 >/dev/null 2>&1 & echo started").await;
}

#[tokio::test]
async fn a_daemon_forks_twice_and_leaves_the_session() {
    ends("(setsid sh -c 'trap \"\" TERM HUP INT; sleep 1000 & exit' &) ; echo started").await;
}

#[tokio::test]
async fn a_command_ignores_every_polite_signal() {
    ends("trap '' TERM HUP INT QUIT; while :; do sleep 1; done").await;
}

#[tokio::test]
async fn a_command_waits_for_input_that_never_comes() {
    ends("cat").await;
    let lab = Lab::new();
    let command = Command {
        stdin: Stdin::Open,
        ..lab.command("cat; read line")
    };
    check(&lab, command, "cat").await;
}

#[tokio::test]
async fn a_command_asks_for_a_password_on_the_terminal() {
    ends("read -s password </dev/tty; python3 -c 'import getpass; getpass.getpass()'").await;
}

#[tokio::test]
async fn a_command_stops_itself() {
    ends("kill -STOP $$").await;
}

#[tokio::test]
async fn a_command_never_stops_talking() {
    ends("yes").await;
}

#[tokio::test]
async fn a_command_opens_a_pipe_that_nobody_writes_to() {
    ends("mkfifo src/pipe || mkfifo pipe; cat src/pipe pipe").await;
}

#[tokio::test]
async fn a_pipeline_waits_for_its_slowest_part() {
    ends("sleep 1000 | cat | cat").await;
}

#[tokio::test]
async fn a_command_follows_a_file_forever() {
    ends("tail -f file").await;
}

#[tokio::test]
async fn a_command_starts_orphans_all_the_time() {
    ends("while :; do (setsid sleep 1000 &); sleep 0.05; done").await;
}

#[tokio::test]
async fn a_command_waits_for_a_lock() {
    ends("exec 9<file; flock 9; (flock 8) 8<file").await;
}

#[tokio::test]
async fn a_command_wakes_another_copy_of_itself_when_it_is_killed() {
    ends("f() { trap 'f &' EXIT TERM; sleep 1000; }; f").await;
}
