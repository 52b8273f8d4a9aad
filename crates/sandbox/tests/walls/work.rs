//! What a confined command can still do: the work it is there for.

use std::fs;
use std::path::Path;

use crate::lab::Lab;
use codewhale_sandbox::{
    Certainty, Command, Confinement, Denied, End, Error, Temporary, Terminal, Walls, probe, run,
};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

const WHO: &str = "export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a \
                   GIT_COMMITTER_EMAIL=a@b;";

/// A lab whose workspace is a repository that git made.
async fn repository(lab: &Lab) {
    let make = format!("{WHO} rm -r .git; git init -q . && git add file && git commit -qm first");
    let command = Command {
        walls: Walls::Open,
        ..lab.command(&make)
    };
    let made = run(command, &CancellationToken::new()).await.unwrap();
    assert_eq!(made.end, End::Exited(0), "{}", made.output.text);
}

#[tokio::test]
async fn a_commit_works_and_its_hooks_and_settings_stay_as_they_are() {
    let lab = Lab::new();
    if !probe().is_fine_grained() {
        return;
    }
    repository(&lab).await;
    let before = fs::read(lab.workspace.join(".git/config")).unwrap();
    let script = format!(
        "{WHO} set -e; echo new > new; git add .; git commit -qm second; git switch -qc side; \
         echo more >> new; git stash -q; git stash pop -q; git tag one; git log --oneline | wc -l"
    );
    lab.says(&script, "2\n").await;
    assert_eq!(fs::read(lab.workspace.join(".git/config")).unwrap(), before);
    let settings = lab.run("git config user.name evil").await;
    assert_ne!(settings.end, End::Exited(0));
    let denial = settings.denial.expect("a denial");
    assert_eq!(denial.certainty, Certainty::Suspected);
}

#[tokio::test]
async fn without_namespaces_a_commit_has_to_ask() {
    let lab = Lab::without_namespaces();
    repository(&lab).await;
    let outcome = lab
        .run(&format!("{WHO} echo x > file; git commit -qam second"))
        .await;
    assert_ne!(outcome.end, End::Exited(0));
    assert!(outcome.denial.is_some(), "{}", outcome.output.text);
    assert_eq!(
        fs::read_to_string(lab.workspace.join("file")).unwrap(),
        "x\n"
    );
}

#[tokio::test]
async fn the_workspace_is_written_wherever_it_lies() {
    for parent in ["/var/tmp", "/tmp", "/dev/shm"] {
        let lab = Lab::at(Path::new(parent));
        lab.says(
            "mkdir -p a/b && echo x > a/b/c && mv a/b/c d && cat d && pwd -P | tail -c 10",
            "x\nworkspace\n",
        )
        .await;
        lab.refuses("cat ../home/secret; echo x > ../outside/file && echo ESCAPED")
            .await;
    }
}

#[tokio::test]
async fn a_workspace_reached_by_a_link_is_the_workspace() {
    let lab = Lab::new();
    let link = lab.outside.join("link");
    std::os::unix::fs::symlink(&lab.workspace, &link).unwrap();
    let confinement = Confinement {
        hidden: vec![lab.home.clone()],
        ..Confinement::workspace(&link)
    };
    let command = Command {
        cwd: link.clone(),
        walls: Walls::Confined(confinement),
        ..lab.command("echo x > new; echo x > .git/config; cat new")
    };
    let outcome = run(command, &CancellationToken::new()).await.unwrap();
    assert!(
        outcome.output.text.ends_with("x\n"),
        "{}",
        outcome.output.text
    );
    fs::remove_file(link).unwrap();
    lab.check_untouched("by a link");
}

#[tokio::test]
async fn reading_only_still_reads_and_has_temporary_files() {
    let lab = Lab::new();
    let command = Command {
        walls: Walls::Confined(Confinement::read_only()),
        ..lab
            .command("cat file; cat <<END\nhere\nEND\necho x > /tmp/x && cat /tmp/x; echo x > file")
    };
    let outcome = run(command, &CancellationToken::new()).await.unwrap();
    assert!(
        outcome.output.text.starts_with("minehere\nx\n"),
        "{}",
        outcome.output.text
    );
    assert_ne!(outcome.end, End::Exited(0));
    let Some(denial) = outcome.denial else {
        panic!("a denial: {}", outcome.output.text)
    };
    assert!(matches!(denial.what, Denied::File { .. }));
    lab.check_untouched("reading only");
}

#[tokio::test]
async fn temporary_files_can_outlast_a_command() {
    for lab in [Lab::new(), Lab::without_namespaces()] {
        let kept = TempDir::new_in("/var/tmp").unwrap();
        let confinement = Confinement {
            temporary: Temporary::At(kept.path().into()),
            ..lab.confinement()
        };
        for (script, text) in [
            ("mktemp >/dev/null; echo x > $TMPDIR/x", ""),
            ("cat $TMPDIR/x", "x\n"),
        ] {
            let command = Command {
                walls: Walls::Confined(confinement.clone()),
                ..lab.command(script)
            };
            let outcome = run(command, &CancellationToken::new()).await.unwrap();
            assert_eq!(
                (outcome.end, outcome.output.text.as_str()),
                (End::Exited(0), text)
            );
        }
        assert_eq!(fs::read_to_string(kept.path().join("x")).unwrap(), "x\n");
    }
}

#[tokio::test]
async fn a_test_can_talk_to_the_server_it_started() {
    let lab = Lab::new();
    if !probe().namespaces {
        return;
    }
    let script = "python3 -S - <<'END'\n\
                  import socket\n\
                  s = socket.create_server(('127.0.0.1', 0))\n\
                  c = socket.create_connection(s.getsockname())\n\
                  c.sendall(b'hello'); print(s.accept()[0].recv(9).decode())\n\
                  u = socket.socket(socket.AF_UNIX); u.bind('own.sock'); u.listen()\n\
                  v = socket.socket(socket.AF_UNIX); v.connect('own.sock'); print('own')\n\
                  END";
    lab.says(script, "hello\nown\n").await;
}

#[tokio::test]
async fn ordinary_tools_work() {
    for lab in [Lab::new(), Lab::without_namespaces()] {
        for (script, text) in [
            ("echo a | tee /dev/null | wc -c", "2\n"),
            (
                "echo out > /dev/stdout; echo err > /dev/stderr",
                "out\nerr\n",
            ),
            (
                "head -c 4 /dev/urandom | wc -c; head -c 4 /dev/zero | wc -c",
                "4\n4\n",
            ),
            ("diff <(echo a) <(echo a) && echo same", "same\n"),
            (
                "python3 -S -c 'import multiprocessing as m; p = m.Process(target=print, args=(1,)); p.start(); p.join()'",
                "1\n",
            ),
            ("echo $(( $(nproc) > 0 ))", "1\n"),
            ("timeout 5 true; (ulimit -n 100; ulimit -n)", "100\n"),
            ("sleep 0 & wait; kill -0 $$ && echo alive", "alive\n"),
        ] {
            lab.says(script, text).await;
        }
    }
}

#[tokio::test]
async fn a_terminal_works_inside_the_walls() {
    for lab in [Lab::new(), Lab::without_namespaces()] {
        let mut command =
            lab.command("tty -s && stty size; echo x > /dev/tty; echo y > /dev/stderr");
        command.terminal = Some(Terminal::default());
        let outcome = run(command, &CancellationToken::new()).await.unwrap();
        assert_eq!(outcome.output.text, "24 80\r\nx\r\ny\r\n");
    }
}

#[tokio::test]
async fn walls_that_cannot_be_put_up_let_nothing_run() {
    let lab = Lab::new();
    let missing = lab.outside.join("missing");
    let hidden = lab.confinement();
    for (confinement, cwd) in [
        (
            Confinement {
                writable: vec![missing],
                ..lab.confinement()
            },
            &lab.workspace,
        ),
        (
            Confinement {
                writable: vec!["/".into()],
                ..lab.confinement()
            },
            &lab.workspace,
        ),
        (hidden, &lab.home),
    ] {
        let command = Command {
            cwd: cwd.clone(),
            walls: Walls::Confined(confinement),
            ..lab.command("echo x > $OUTSIDE/file; touch ran")
        };
        let refused = run(command, &CancellationToken::new()).await;
        assert!(
            matches!(refused, Err(Error::CannotConfine { .. })),
            "{refused:?}"
        );
    }
    assert!(!lab.workspace.join("ran").exists());
    lab.check_untouched("no walls");
}

#[tokio::test]
async fn a_missing_program_is_told_apart_from_missing_walls() {
    let lab = Lab::new();
    let command = Command {
        program: "no-such-program".into(),
        ..lab.command("")
    };
    let refused = run(command, &CancellationToken::new()).await;
    assert!(matches!(refused, Err(Error::Start { .. })), "{refused:?}");
}
