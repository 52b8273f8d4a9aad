//! Without any provider the built-in model serves: plain requests, real tools, and no pretence.

use codewhale_protocol::runtime::{Seq, ThreadId};
use codewhale_testkit::app::{App, Follower, Home};
use serde_json::{Value, json};

use crate::outline::outline;
use crate::scene::program;

struct Offline {
    app: App,
    home: Home,
}

impl Offline {
    async fn new() -> Self {
        let home = Home::new();
        let app = program(&home).serve().await;
        Self { app, home }
    }

    /// Asks, answers what is asked back with a yes, and tells the last words.
    async fn ask(&self, thread: &ThreadId, prompt: &str) -> (Follower, String) {
        let after = self.app.snapshot(thread).await.latest_seq;
        let mut events = self.app.follow(thread, after).await;
        self.app.start_turn(thread, prompt).await;
        loop {
            let event = events.next().await;
            if event.event == "approval.required" {
                let approval = event.payload["id"].as_str().unwrap().into();
                assert_eq!(self.app.decide(&approval, "allow").await.status, 200);
            }
            if event.event == "turn.completed" {
                assert_eq!(event.payload["turn"]["status"], "completed");
                break;
            }
        }
        let said = self.app.snapshot(thread).await.items.pop().unwrap();
        let said = said.detail.unwrap();
        assert!(
            said.contains("This is the built-in offline model"),
            "{said}"
        );
        assert!(said.contains("DEEPSEEK_API_KEY"), "{said}");
        (events, said)
    }

    async fn thread(&self) -> ThreadId {
        self.app
            .create_thread(json!({ "allow_shell": true }))
            .await
            .id
    }
}

#[tokio::test]
async fn it_lists_files() {
    let offline = Offline::new().await;
    offline.home.write("one.txt", "1");
    offline.home.write("two.txt", "2");
    let (events, said) = offline.ask(&offline.thread().await, "list the files").await;
    assert!(
        said.contains("one.txt") && said.contains("two.txt"),
        "{said}"
    );
    assert_eq!(
        outline(&events.seen()[4..8]),
        [
            "item.started agent_message",
            "item.delta agent_message \"Offline model: listing `.`.\\n\"",
            "item.completed agent_message",
            "item.started tool_call",
        ]
    );
}

#[tokio::test]
async fn it_reads_a_file_and_says_when_there_is_none() {
    let offline = Offline::new().await;
    offline.home.write("notes.txt", "remember the milk\n");
    let thread = offline.thread().await;
    let (_, said) = offline.ask(&thread, "please read notes.txt").await;
    assert!(said.contains("remember the milk"), "{said}");
    let (_, said) = offline.ask(&thread, "read nothing.txt").await;
    assert!(said.contains("did not do it"), "{said}");
}

#[tokio::test]
async fn it_creates_a_file_after_asking() {
    let offline = Offline::new().await;
    let (events, _) = offline
        .ask(&offline.thread().await, "create notes.txt with hello there")
        .await;
    assert_eq!(
        offline.home.read("notes.txt").as_deref(),
        Some("hello there")
    );
    let told = outline(events.seen());
    assert!(
        told.contains(&"approval.required write_file".to_owned()),
        "{told:?}"
    );
    assert!(
        told.contains(&"approval.decided allow".to_owned()),
        "{told:?}"
    );
}

#[tokio::test]
async fn it_runs_a_command_after_asking() {
    let offline = Offline::new().await;
    let (events, said) = offline
        .ask(
            &offline.thread().await,
            "run `echo deep && echo blue > out.txt`",
        )
        .await;
    assert!(said.contains("deep"), "{said}");
    assert_eq!(offline.home.read("out.txt").as_deref(), Some("blue\n"));
    let told = outline(events.seen());
    assert!(
        told.contains(&"approval.required exec_shell".to_owned()),
        "{told:?}"
    );
}

#[tokio::test]
async fn it_says_how_to_get_what_is_not_offered_and_what_it_understands() {
    let offline = Offline::new().await;
    let thread = offline.app.create_thread(json!({})).await.id;
    let (_, said) = offline.ask(&thread, "run `ls`").await;
    assert!(said.contains("allow_shell"), "{said}");
    let (_, said) = offline
        .ask(&thread, "write me a poem about whales in the style of")
        .await;
    assert!(
        said.contains("I did not understand that. I understand:"),
        "{said}"
    );
}

#[tokio::test]
async fn threads_turns_and_the_start_say_that_it_serves() {
    let offline = Offline::new().await;
    let words = "No model is configured: the built-in offline model answers.";
    offline.app.until_said(words).await;
    let thread = offline.app.create_thread(json!({})).await;
    assert_eq!(thread.model, "offline");
    assert_eq!(thread.model_provider.as_deref(), Some("offline"));
    offline.ask(&thread.id, "list the files").await;
    let turn = offline.app.snapshot(&thread.id).await.turns.pop().unwrap();
    assert_eq!(turn.effective_provider.as_deref(), Some("offline"));
    assert_eq!(turn.effective_model.as_deref(), Some("offline"));
}

#[tokio::test]
async fn a_provider_without_its_key_is_not_replaced_by_it() {
    let home = Home::new();
    home.configure("provider = \"deepseek\"\n");
    let app = program(&home).serve().await;
    let answer = app.post("/v1/threads", json!({})).await;
    let error: Value = answer.read::<Value>(400)["error"].clone();
    let message = error["message"].as_str().unwrap();
    assert!(
        message.contains("provider `deepseek` has no key"),
        "{message}"
    );
    assert!(message.contains("DEEPSEEK_API_KEY"), "{message}");
    assert_eq!(app.get("/v1/threads").await.json(), json!([]));
}

#[tokio::test]
async fn a_turn_on_a_thread_whose_provider_has_lost_its_key_leaves_nothing_behind() {
    let home = Home::new();
    let key = |program: codewhale_testkit::app::Program| {
        program.variable("DEEPSEEK_API_KEY", "k-0123456789")
    };
    let app = key(program(&home)).serve().await;
    let thread = app.create_thread(json!({})).await.id;
    app.terminate().await;
    home.configure("provider = \"deepseek\"\n");
    let app = program(&home).serve().await;
    let before = app.snapshot(&thread).await;
    let answer = app.ask_for_turn(&thread, json!({ "prompt": "hi" })).await;
    let message = answer.read::<Value>(400)["error"]["message"].clone();
    assert!(
        message.as_str().unwrap().contains("DEEPSEEK_API_KEY"),
        "{message}"
    );
    assert_eq!(app.snapshot(&thread).await, before);
    assert!(before.latest_seq > Seq::ZERO);
}
