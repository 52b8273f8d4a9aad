//! Tasks between walls. They need a system that can hold commands; one that cannot says so.

use serde_json::{Value, json};
use tokio::io::AsyncReadExt;
use tokio::net::TcpListener;

use codewhale_testkit::app::within;

use super::Task;
use crate::scene::{Scene, program};

/// A thread whose commands are held; fails where the system cannot hold them.
async fn held(files: &[(&str, &str)]) -> Task {
    let task = Task::asking(files).await;
    let thread = task.scene.app.snapshot(&task.thread).await.thread;
    assert_eq!(
        thread.sandbox_mode.as_deref(),
        Some("workspace-write"),
        "this system cannot confine commands: it takes Landlock 3 and seccomp, or user namespaces"
    );
    task
}

fn run(command: &str) -> (&'static str, Value) {
    ("exec_shell", json!({ "command": command }))
}

#[tokio::test]
async fn a_command_that_only_looks_is_not_asked_about() {
    let mut task = held(&[("a.txt", "found me\n")]).await;
    task.script([run("cat a.txt | grep found && ls")], "Seen.");
    let done = task.run("look", "deny").await;
    assert_eq!(done.said, "Seen.");
    assert!(task.asked.is_empty(), "{:?}", task.asked);
    assert!(
        task.results()[0].contains("found me"),
        "{:?}",
        task.results()
    );
}

#[tokio::test]
async fn the_network_is_shut_until_a_person_opens_it_for_one_command() {
    let mut task = held(&[]).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let command = format!("echo called > /dev/tcp/127.0.0.1/{port}");
    let wider = json!({
        "command": command, "sandbox_permissions": "network", "justification": "to call home",
    });
    task.script([run(&command), ("exec_shell", wider)], "Called.");
    let called = async {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).await.unwrap();
        text
    };
    let (done, called) = tokio::join!(task.run("call home", "allow"), called);
    assert_eq!(
        (done.said.as_str(), called.as_str()),
        ("Called.", "called\n")
    );
    let results = task.results();
    assert!(!results[0].contains("[exit code 0]"), "{results:?}");
    assert!(results[1].contains("[exit code 0]"), "{results:?}");
    assert_eq!(task.asked.len(), 2, "{:?}", task.asked);
}

#[tokio::test]
async fn what_lies_outside_the_workspace_cannot_be_written_and_the_denial_is_told() {
    let mut task = held(&[]).await;
    // Held commands have a /tmp of their own, where nothing of the outside is to be seen.
    let beside = tempfile::tempdir_in("/var/tmp").unwrap();
    let outside = beside.path().join("outside.txt");
    let secret = task.scene.home.path().join("runtime.db");
    let write = format!("echo x > {}", outside.display());
    let read = format!("cp {} copy.db", secret.display());
    task.script([run(&write), run(&read)], "I could not.");
    task.run("try it", "allow").await;
    let results = task.results();
    assert!(!outside.exists() && !task.scene.home.workspace().join("copy.db").exists());
    assert!(
        results.iter().all(|it| !it.contains("[exit code 0]")),
        "{results:?}"
    );
    assert!(results[0].contains("sandbox_permissions"), "{results:?}");
    assert!(
        task.names().contains(&"sandbox.denied"),
        "{:?}",
        task.names()
    );
}

#[tokio::test]
async fn a_server_in_the_background_is_used_by_the_next_command_and_then_stopped() {
    let mut task = held(&[("index.html", "served\n")]).await;
    let serve = json!({
        "command": "/usr/bin/python3 -m http.server 8123 --bind 127.0.0.1", "background": true,
    });
    let fetch = "for i in $(seq 200); do curl -sf http://127.0.0.1:8123/ && break; sleep 0.05; done; \
                 touch /tmp/left; ls /tmp/left";
    task.script(
        [
            ("exec_shell", serve),
            run(fetch),
            (
                "exec_shell",
                json!({ "action": "poll", "task_id": "task_1" }),
            ),
            (
                "exec_shell",
                json!({ "action": "cancel", "task_id": "task_1" }),
            ),
            run("ls /tmp/left; curl -sm 1 http://127.0.0.1:8123/; true"),
        ],
        "Served and stopped.",
    );
    let done = task.run("serve the page and look at it", "allow").await;
    assert_eq!(done.said, "Served and stopped.");
    let results = task.results();
    assert!(results[0].contains("task_1"), "{results:?}");
    assert!(results[1].contains("served"), "{results:?}");
    assert!(results[2].contains("GET / HTTP"), "{results:?}");
    assert!(results[3].contains("stopped"), "{results:?}");
    // What one command left in /tmp, the next one finds; the server is gone.
    assert!(
        results[4].contains("/tmp/left") && !results[4].contains("served"),
        "{results:?}"
    );
}

#[tokio::test]
async fn a_commit_works_while_hooks_and_settings_of_the_repository_stay_as_they_are() {
    let mut task = held(&[("a.txt", "a\n")]).await;
    let init = "git init -q . && git config user.email a@example.org && git config user.name a";
    let wider = json!({
        "command": init, "sandbox_permissions": "danger-full-access", "justification": "a new repository",
    });
    task.script(
        [
            ("exec_shell", wider),
            run("git add a.txt && git commit -q -m first && git log --oneline | wc -l"),
            run("echo 'touch hooked' > .git/hooks/pre-commit"),
            run("git config core.hooksPath /tmp"),
        ],
        "Committed.",
    );
    task.run("commit it", "allow").await;
    let results = task.results();
    assert!(results[1].contains("1\n[exit code 0]"), "{results:?}");
    assert!(!results[2].contains("[exit code 0]"), "{results:?}");
    assert!(!results[3].contains("[exit code 0]"), "{results:?}");
}

#[tokio::test]
async fn temporary_files_go_with_the_program_and_those_of_a_killed_one_with_the_next() {
    let mut task = held(&[]).await;
    task.script([run("touch /tmp/left; ls /tmp/left")], "Left.");
    task.run("leave something", "allow").await;
    let directory = task.scene.home.path().join("tmp");
    let owners = || std::fs::read_dir(&directory).unwrap().count();
    assert_eq!(owners(), 1);
    let Scene { app, home, .. } = task.scene;
    app.kill().await;
    let app = program(&home).serve().await;
    let cleared = async {
        while owners() > 0 {
            tokio::task::yield_now().await;
        }
    };
    within("the files of the dead to be cleared", cleared).await;
    assert_eq!(app.terminate().await.code, Some(143));
    assert_eq!(owners(), 0);
}

#[tokio::test]
async fn a_directory_that_was_added_can_be_worked_in_and_its_hooks_stay_guarded() {
    let mut task = held(&[]).await;
    let beside = tempfile::tempdir_in("/var/tmp").unwrap();
    let beside = beside.path().canonicalize().unwrap();
    std::fs::create_dir_all(beside.join(".git/hooks")).unwrap();
    let change = json!({ "additional_directories": [beside] });
    let route = format!("/v1/threads/{}", task.thread);
    assert_eq!(task.scene.app.patch(&route, change).await.status, 200);
    let at = |name: &str| beside.join(name).display().to_string();
    let file = json!({ "path": at("a.txt"), "content": "one" });
    task.script(
        [
            ("write_file", file),
            run(&format!("echo two > {}", at("b.txt"))),
            run(&format!("echo x > {}", at(".git/hooks/pre-commit"))),
        ],
        "Done.",
    );
    task.run("work there", "allow").await;
    let read = |name: &str| std::fs::read_to_string(beside.join(name)).ok();
    assert_eq!(read("a.txt").as_deref(), Some("one"));
    assert_eq!(read("b.txt").as_deref(), Some("two\n"));
    assert_eq!(read(".git/hooks/pre-commit"), None);
    let request = task.scene.model.last_request();
    let system = request.messages()[0]["content"].as_str().unwrap();
    assert!(system.contains(&beside.display().to_string()));
}
