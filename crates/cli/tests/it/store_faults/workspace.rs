//! The workspace runs out of room, or goes away, while an agent works in it.

use codewhale_protocol::runtime::Seq;
use codewhale_testkit::app::Home;
use codewhale_testkit::model_server::{ModelServer, Reply};
use serde_json::{Value, json};

use super::mounts::mounted;
use crate::scene::program;

/// What the model was told of its calls.
fn results(model: &ModelServer) -> Vec<String> {
    let request = model.last_request();
    let results = request.messages().iter().filter(|it| it["role"] == "tool");
    results
        .map(|it| it["content"].as_str().unwrap().to_owned())
        .collect()
}

fn script(model: &ModelServer, calls: &[(&str, Value)]) {
    for (index, (tool, input)) in calls.iter().enumerate() {
        model.push(Reply::calls(
            &format!("call_{index}"),
            tool,
            &input.to_string(),
        ));
    }
    model.push(Reply::says("Done."));
}

#[tokio::test]
async fn a_file_that_does_not_fit_on_the_disk_is_not_written_in_part() {
    let model = ModelServer::start().await;
    let home = Home::with_model(&model);
    let mount = "mount -t tmpfs -o size=64k tmpfs . && cd \"$PWD\"";
    let app = mounted(&home, mount).await.serve().await;
    let large = "x".repeat(200_000);
    script(
        &model,
        &[
            (
                "write_file",
                json!({ "path": "a.txt", "content": "small\n" }),
            ),
            ("write_file", json!({ "path": "a.txt", "content": large })),
            ("read_file", json!({ "path": "a.txt" })),
            ("list_dir", json!({ "path": "." })),
        ],
    );
    let thread = app.create_thread(json!({ "auto_approve": true })).await.id;
    let mut events = app.follow(&thread, Seq::ZERO).await;
    app.start_turn(&thread, "write it").await;
    let end = events.until("turn.completed").await;
    assert_eq!(end.payload["turn"]["status"], "completed");
    let results = results(&model);
    assert!(results[1].contains("No space left"), "{results:?}");
    assert!(results[2].contains("small"), "{results:?}");
    // Nothing half-written lies about.
    assert!(
        results[3].contains("a.txt") && !results[3].contains(".codewhale-"),
        "{results:?}"
    );
}

#[tokio::test]
async fn a_workspace_that_is_gone_is_told_to_the_model_and_the_turn_ends() {
    let model = ModelServer::start().await;
    let home = Home::with_model(&model);
    let app = program(&home).serve().await;
    let gone = home.workspace().join("gone");
    std::fs::create_dir(&gone).unwrap();
    let body = json!({ "workspace": gone, "auto_approve": true, "allow_shell": true });
    let thread = app.create_thread(body).await.id;
    std::fs::remove_dir(&gone).unwrap();
    script(
        &model,
        &[
            ("read_file", json!({ "path": "a.txt" })),
            ("write_file", json!({ "path": "a.txt", "content": "a" })),
            ("exec_shell", json!({ "command": "pwd" })),
            ("grep_files", json!({ "pattern": "a" })),
        ],
    );
    let mut events = app.follow(&thread, Seq::ZERO).await;
    app.start_turn(&thread, "work").await;
    let end = events.until("turn.completed").await;
    assert_eq!(end.payload["turn"]["status"], "completed");
    for result in results(&model) {
        assert!(result.contains("workspace"), "{result}");
    }
    assert!(!gone.exists());
}
