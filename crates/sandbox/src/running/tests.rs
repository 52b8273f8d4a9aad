use std::fs;

use super::*;
use crate::limits::JOBS_RUNNING_MAX;
use crate::{Job, JobId, Jobs, Limits, Stdin, Terminal};

const LONG: Duration = Duration::from_secs(60);

fn shell(script: &str) -> Command {
    Command {
        arguments: vec!["-c".into(), script.into()],
        environment: vec![("PATH".into(), "/usr/bin:/bin".into())],
        limits: Limits {
            wall_time: LONG,
            ..Limits::default()
        },
        stdin: Stdin::Open,
        ..Command::new("/bin/sh", "/")
    }
}

/// Waits until the command has said this.
async fn said(running: &Running, text: &str) -> Piece {
    let wait = async {
        loop {
            let piece = running.output_since(0);
            if piece.text.contains(text) {
                return piece;
            }
            tokio::task::yield_now().await;
        }
    };
    timeout(LONG, wait).await.expect("it says so")
}

async fn over(running: &Running) -> Outcome {
    match running.wait(LONG).await {
        State::Over(outcome) => outcome,
        other => panic!("it is to be over: {other:?}"),
    }
}

fn runs(pid: &str) -> bool {
    let facts = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    facts
        .rsplit_once(") ")
        .is_some_and(|(_, after)| !after.starts_with('Z'))
}

#[tokio::test]
async fn a_command_can_be_spoken_with() {
    let running = start(shell("read a; echo got $a; read b; echo got $b"))
        .await
        .unwrap();
    running.write_stdin(b"one\n").await.unwrap();
    let first = said(&running, "got one\n").await;
    assert_eq!(running.state(), State::Running);
    running.write_stdin(b"two\n").await.unwrap();
    assert_eq!(over(&running).await.end, End::Exited(0));
    assert_eq!(running.output_since(first.next).text, "got two\n");
    assert_eq!(running.output().text, "got one\ngot two\n");
    assert_eq!(running.unread().text, "got one\ngot two\n");
    assert_eq!(running.unread().text, "");
    let late = running.write_stdin(b"three\n").await;
    assert!(matches!(late, Err(Error::InputClosed)));
}

#[tokio::test]
async fn a_closed_input_ends() {
    let running = start(shell("cat; echo end")).await.unwrap();
    running.write_stdin(b"text\n").await.unwrap();
    running.close_stdin().await.unwrap();
    assert_eq!(over(&running).await.output.text, "text\nend\n");
}

#[tokio::test]
async fn waiting_ends_with_the_time_and_the_command_runs_on() {
    let running = start(shell("sleep 1000")).await.unwrap();
    assert_eq!(running.wait(Duration::from_millis(1)).await, State::Running);
    let killed = running.kill().await;
    assert_eq!(killed.end(), Some(End::Cancelled));
}

#[tokio::test]
async fn whoever_fled_the_group_and_the_session_goes_with_the_command() {
    let flee = "setsid sh -c 'trap \"\" TERM HUP; sleep 1000 & echo $!; exit' & wait; sleep 1000";
    let running = start(shell(flee)).await.unwrap();
    let pid = said(&running, "\n").await.text.trim().to_owned();
    assert!(runs(&pid));
    running.kill().await;
    assert!(!runs(&pid));
}

#[tokio::test]
async fn losing_interest_kills_the_command() {
    let running = start(shell("echo $$; exec sleep 1000")).await.unwrap();
    let pid = said(&running, "\n").await.text.trim().to_owned();
    drop(running);
    let gone = async {
        while runs(&pid) {
            tokio::task::yield_now().await;
        }
    };
    timeout(LONG, gone).await.expect("it goes");
}

#[tokio::test]
async fn a_terminal_of_its_own_has_the_size_that_was_given() {
    let command = Command {
        terminal: Some(Terminal {
            rows: 7,
            columns: 33,
        }),
        ..shell("stty size; tty -s && echo terminal; read x; echo got $x; printf '\\033[1m'")
    };
    let running = start(command).await.unwrap();
    said(&running, "terminal").await;
    running.write_stdin(b"typed\n").await.unwrap();
    let outcome = over(&running).await;
    let expected = "7 33\r\nterminal\r\ntyped\r\ngot typed\r\n\u{1b}[1m";
    assert_eq!(outcome.output.text, expected);
}

#[tokio::test]
async fn an_end_of_input_can_be_typed() {
    let command = Command {
        terminal: Some(Terminal::default()),
        ..shell("cat >/dev/null; echo over")
    };
    let running = start(command).await.unwrap();
    running.close_stdin().await.unwrap();
    assert!(over(&running).await.output.text.ends_with("over\r\n"));
}

#[tokio::test]
async fn jobs_are_named_bounded_and_end_together() {
    let jobs = Jobs::default();
    let mut pids = Vec::new();
    for number in 1..=JOBS_RUNNING_MAX {
        let job = jobs
            .start(shell("echo $$; exec sleep 1000"), "sleep")
            .await
            .unwrap();
        assert_eq!(job.id.to_string(), format!("task_{number}"));
        pids.push(said(&job.running, "\n").await.text.trim().to_owned());
    }
    let refused = jobs.start(shell("true"), "one more").await;
    assert!(matches!(refused, Err(Error::TooManyJobs)));

    let first: JobId = "task_1".parse().unwrap();
    jobs.get(first).unwrap().running.kill().await;
    jobs.start(shell("true"), "one more").await.unwrap();
    assert_eq!(jobs.list().len(), JOBS_RUNNING_MAX + 1);
    drop(jobs);
    let gone = async {
        while pids.iter().any(|pid| runs(pid)) {
            tokio::task::yield_now().await;
        }
    };
    timeout(LONG, gone).await.expect("all go");
}

#[tokio::test]
async fn only_so_many_ended_jobs_are_remembered() {
    let jobs = Jobs::default();
    for _ in 0..40 {
        let job: Job = jobs.start(shell("true"), "true").await.unwrap();
        over(&job.running).await;
    }
    assert!(jobs.list().len() <= 33, "{}", jobs.list().len());
    assert!(jobs.get("1".parse().unwrap()).is_none());
    assert!(jobs.get("task_40".parse().unwrap()).is_some());
}
