//! What an agent is told before it begins: instructions, skills, memory.

use std::fs;

use codewhale_testkit::app::Home;
use codewhale_testkit::model_server::{ModelServer, Reply};
use serde_json::{Value, json};

use super::Task;
use crate::scene::{Scene, program};

async fn task_with(home: Home, model: ModelServer) -> Task {
    let app = program(&home).serve().await;
    let scene = Scene { app, model, home };
    let (thread, events) = scene.thread(json!({})).await;
    Task {
        scene,
        thread,
        events,
        asked: Vec::new(),
    }
}

/// The standing instructions of the last request.
fn system(task: &Task) -> String {
    let request = task.scene.model.last_request();
    request.messages()[0]["content"]
        .as_str()
        .unwrap()
        .to_owned()
}

#[tokio::test]
async fn instructions_of_the_repository_and_skills_of_the_user_reach_the_model() {
    let model = ModelServer::start().await;
    let home = Home::with_model(&model);
    home.write("AGENTS.md", "Run `make check` before you are done.\n");
    let skill = home.path().join("skills/release");
    fs::create_dir_all(&skill).unwrap();
    let text = "---\nname: release\ndescription: How to make a release.\n---\nTag it, then push the tag.\n";
    fs::write(skill.join("SKILL.md"), text).unwrap();
    let mut task = task_with(home, model).await;
    task.script([("load_skill", json!({ "name": "release" }))], "Done.");
    task.run("make a release", "deny").await;
    let told = system(&task);
    assert!(
        told.contains("Run `make check` before you are done."),
        "{told}"
    );
    assert!(
        told.contains("How to make a release.") && !told.contains("push the tag"),
        "{told}"
    );
    assert!(
        task.results()[0].contains("Tag it, then push the tag."),
        "{:?}",
        task.results()
    );

    // Nothing changed, so not a byte of it does.
    task.scene.model.push(Reply::says("Again."));
    task.run("again", "deny").await;
    assert_eq!(system(&task), told);
}

#[tokio::test]
async fn memory_is_off_until_the_user_turns_it_on() {
    let model = ModelServer::start().await;
    let home = Home::with_model(&model);
    let mut task = task_with(home, model).await;
    task.scene.model.push(Reply::says("Hello."));
    task.run("hello", "deny").await;
    let request = task.scene.model.last_request();
    assert!(
        !request.tool_names().contains(&"remember"),
        "{:?}",
        request.tool_names()
    );

    let Scene { app, model, home } = task.scene;
    app.kill().await;
    let app = program(&home)
        .variable("CODEWHALE_MEMORY", "true")
        .serve()
        .await;
    let scene = Scene { app, model, home };
    let (thread, events) = scene.thread(json!({})).await;
    let mut task = Task {
        scene,
        thread,
        events,
        asked: Vec::new(),
    };
    let note = json!({ "action": "append", "note": "The user likes tabs.", "scope": "global" });
    task.script([("remember", note)], "Noted.");
    task.run("remember that I like tabs", "allow").await;
    assert_eq!(task.asked, ["remember: allow"]);
    task.scene.model.push(Reply::says("Tabs."));
    task.run("what do I like?", "deny").await;
    // The thread is told behind what it knows; the next one knows from the start.
    assert!(!system(&task).contains("The user likes tabs."));
    let request = task.scene.model.last_request();
    let is_update = |message: &&Value| {
        let text = message["content"].as_str().unwrap_or_default();
        text.starts_with("<context_update>") && text.contains("The user likes tabs.")
    };
    assert_eq!(request.messages().iter().filter(is_update).count(), 1);
    let (thread, events) = task.scene.thread(json!({})).await;
    (task.thread, task.events) = (thread, events);
    task.scene.model.push(Reply::says("Tabs."));
    task.run("what do I like?", "deny").await;
    assert!(
        system(&task).contains("The user likes tabs."),
        "{}",
        system(&task)
    );
}
