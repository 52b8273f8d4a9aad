//! The command line: what works, and what does not work yet and says so.

use codewhale_testkit::app::{Ended, Home};

use crate::scene::program;

async fn run(arguments: &[&str]) -> Ended {
    let home = Home::new();
    let ended = program(&home)
        .arguments(arguments.iter().copied())
        .run()
        .await;
    assert_eq!(
        home.files(),
        [],
        "nothing is written by a command that does nothing"
    );
    ended
}

/// A command of a later step ends with one sentence that says what works.
async fn check_later(arguments: &[&str], words: &str) {
    let ended = run(arguments).await;
    assert_eq!(ended.code, Some(1), "{arguments:?}: {}", ended.stderr);
    assert_eq!(ended.stdout, "", "{arguments:?}");
    let said = ended.stderr.strip_suffix('\n').unwrap();
    assert!(!said.contains('\n'), "{arguments:?}: {said}");
    assert!(said.starts_with("error: "), "{arguments:?}: {said}");
    assert!(said.contains(words), "{arguments:?}: {said}");
    let works = "what works: `codewhale web`, `codewhale app-server --http`, \
                 `codewhale app-server --stdio`, `codewhale serve --http`, `codewhale serve --acp`, \
                 `codewhale serve --mcp`, `codewhale exec`, `codewhale auth`, `codewhale config`, \
                 `codewhale doctor`, `codewhale fleet`, `codewhale mcp`, `codewhale model`, `codewhale models`, \
                 `codewhale sessions`, `codewhale thread`, `codewhale sandbox`";
    assert!(said.ends_with(works), "{arguments:?}: {said}");
}

#[tokio::test]
async fn commands_of_later_steps_say_so_and_what_works() {
    check_later(&[], "terminal interface is not built yet").await;
    for command in ["review", "resume", "lane"] {
        let words = format!("`codewhale {command}` is not built yet");
        check_later(&[command], &words).await;
        check_later(&[command, "--flag", "word"], &words).await;
    }
    for command in ["app-server", "serve"] {
        check_later(&[command], "needs a mode").await;
        for mode in ["--mobile"] {
            let words = format!("`codewhale {command} {mode}` is not built yet");
            check_later(&[command, mode], &words).await;
        }
    }
}

#[tokio::test]
async fn a_prompt_on_the_command_line_is_for_the_terminal_interface() {
    check_later(&["fix the tests"], "there is no command \"fix the tests\"").await;
}

#[tokio::test]
async fn options_that_do_not_exist_or_do_not_go_together_are_misuse() {
    for arguments in [
        &["--nonsense"][..],
        &["web", "--nonsense"],
        &["app-server", "--http", "--nonsense"],
        &["app-server", "--http", "--mobile"],
        &["app-server", "--http", "--port", "many"],
        &["app-server", "--http", "--port", "70000"],
        &["app-server", "--http", "--port"],
        &["web", "surplus"],
    ] {
        let ended = run(arguments).await;
        assert_eq!(
            (ended.code, ended.stdout.as_str()),
            (Some(2), ""),
            "{arguments:?}"
        );
        assert!(
            ended.stderr.starts_with("error: "),
            "{arguments:?}: {}",
            ended.stderr
        );
    }
}

#[tokio::test]
async fn the_version_is_told() {
    for flag in ["--version", "-V"] {
        let ended = run(&[flag]).await;
        assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
        assert_eq!(
            ended.stdout,
            concat!("codewhale ", env!("CARGO_PKG_VERSION"), "\n")
        );
    }
}

#[tokio::test]
async fn help_is_given_and_names_what_works_only() {
    for arguments in [&["--help"][..], &["help"], &["-h"]] {
        let ended = run(arguments).await;
        assert_eq!(
            (ended.code, ended.stderr.as_str()),
            (Some(0), ""),
            "{arguments:?}"
        );
        for command in ["web", "app-server", "serve"] {
            assert!(
                ended.stdout.contains(&format!("\n  {command} ")),
                "{}",
                ended.stdout
            );
        }
    }
    for command in ["web", "app-server", "serve"] {
        let ended = run(&[command, "--help"]).await;
        assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
        assert!(ended.stdout.contains("--port"), "{}", ended.stdout);
        assert!(!ended.stdout.contains("--mobile"), "{}", ended.stdout);
    }
}

#[tokio::test]
async fn shells_get_their_completions() {
    for (command, shell) in [
        ("completions", "bash"),
        ("completion", "zsh"),
        ("completions", "fish"),
    ] {
        let ended = run(&[command, shell]).await;
        assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
        for word in ["doctor", "app-server", "sandbox"] {
            assert!(ended.stdout.contains(word), "{shell}: {word}");
        }
    }
    assert_eq!(run(&["completions", "cmd.exe"]).await.code, Some(2));
}

#[tokio::test]
async fn both_names_of_the_server_serve_the_same() {
    let home = Home::new();
    for command in ["app-server", "serve"] {
        let arguments = [command, "--http", "--host", "127.0.0.1", "--port", "0"];
        let app = program(&home).arguments(arguments).listen().await;
        assert_eq!(app.get("/v1/threads").await.status, 200);
    }
}

#[tokio::test]
async fn a_workspace_can_be_named() {
    let home = Home::new();
    let elsewhere = home.path();
    let global = ["-C", elsewhere.to_str().unwrap()];
    let app = program(&home).arguments(global).serve().await;
    let thread = app.create_thread(serde_json::json!({})).await;
    let real = elsewhere.canonicalize().unwrap();
    assert_eq!(thread.workspace, real.to_str().unwrap());
}

#[tokio::test]
async fn the_law_tells_what_would_become_of_a_command() {
    let check = async |command: &str, requirement: &str| {
        let ended = run(&["sandbox", "check", command]).await;
        assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
        let told: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
        assert!(
            told["requirement"].get(requirement).is_some(),
            "{command}: {told}"
        );
    };
    check("git status && ls | head", "Skip").await;
    check("make install", "NeedsApproval").await;
    check("git status; rm -rf /", "NeedsApproval").await;
}

#[tokio::test]
async fn a_command_between_walls_keeps_its_exit_code_and_writes_only_inside() {
    let home = Home::new();
    let outside = tempfile::tempdir_in("/var/tmp").unwrap();
    let script = format!(
        "echo in > a.txt; echo out > {}/a.txt",
        outside.path().display()
    );
    let arguments = [
        "sandbox",
        "run",
        "--",
        "sh",
        "-c",
        &format!("{script}; exit 7"),
    ];
    let ended = program(&home).arguments(arguments).run().await;
    assert_eq!(ended.code, Some(7), "{}", ended.stderr);
    assert_eq!(home.read("a.txt").as_deref(), Some("in\n"));
    assert!(
        ended.stdout.contains("Read-only file system"),
        "{}",
        ended.stdout
    );
    assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
}
