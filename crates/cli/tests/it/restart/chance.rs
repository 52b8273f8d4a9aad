//! `kill -9` at moments that nobody chose.

use std::time::{Duration, Instant};

use codewhale_protocol::runtime::{ApprovalId, Seq, ThreadId};
use codewhale_testkit::app::{App, Follower, Home, Seen};
use codewhale_testkit::long;
use codewhale_testkit::model_server::{ModelServer, Reply, Request};
use serde_json::json;

use super::{check_cut_off, check_survived, open};
use crate::dice::Dice;
use crate::scene::program;

/// Longest life of a program after its turns were started, in microseconds: their whole length and
/// a little more.
const LIFE_US_MAX: u64 = 120_000;

/// What the turns of a run are about: text, a command, a question.
const PROMPTS: [&str; 3] = ["talk", "run", "write"];

/// A model that does what its prompt says.
fn answer(request: &Request) -> Reply {
    let paced = |deltas| Reply::paced(deltas, Duration::from_millis(1), Instant::now());
    let is_done = request
        .messages()
        .last()
        .is_some_and(|last| last["role"] == "tool");
    match request.last_user_text().unwrap_or_default() {
        "run" if !is_done => paced(5).call(
            "call_1",
            "exec_shell",
            r#"{"command":"sleep 0.02; echo done"}"#,
        ),
        "write" if !is_done => {
            paced(5).call("call_2", "write_file", r#"{"path":"a.txt","content":"a"}"#)
        }
        "talk" => paced(60),
        _ => paced(10),
    }
}

/// What one client saw of one thread.
struct Watched {
    thread: ThreadId,
    events: Follower,
    /// An answer that the server took.
    allowed: Option<ApprovalId>,
}

impl Watched {
    async fn begin(app: &App, prompt: &str) -> Self {
        let thread = app.create_thread(json!({ "allow_shell": true })).await.id;
        let events = app.follow(&thread, Seq::ZERO).await;
        app.start_turn(&thread, prompt).await;
        Self {
            thread,
            events,
            allowed: None,
        }
    }

    /// Follows to the end of the stream, answering what is asked.
    async fn follow(&mut self, app: &App) {
        while let Some(event) = self.events.try_next().await {
            if event.event == "approval.required" {
                let approval: ApprovalId = event.payload["id"].as_str().unwrap().into();
                let body = json!({ "decision": "allow" });
                let request = app.request("POST", &format!("/v1/approvals/{approval}"));
                if app.try_send(request.json(&body)).await == Some(200) {
                    self.allowed = Some(approval);
                }
            }
        }
    }

    /// Sees that nothing is lost: no event that was seen, no answer that was taken.
    async fn check(&self, app: &App) -> Vec<Seen> {
        let seen = self.events.seen();
        let history = check_survived(app, &self.thread, seen).await;
        let end = history.last().unwrap();
        match end.payload["recovered"] == true {
            true => check_cut_off(&history, seen),
            false => assert_eq!(end.payload["turn"]["status"], "completed"),
        }
        if let Some(approval) = &self.allowed {
            let mut decided = history
                .iter()
                .filter(|event| event.event == "approval.decided");
            let decided = decided.find(|event| event.payload["approval_id"] == json!(approval));
            assert_eq!(decided.unwrap().payload["decision"], "allow");
        }
        history
    }
}

/// One life: turns begin, some of them end, and then everything does.
async fn live(app: App, dice: &mut Dice) -> Vec<Watched> {
    let mut watched = Vec::new();
    for prompt in PROMPTS {
        watched.push(Watched::begin(&app, prompt).await);
    }
    let life = Duration::from_micros(dice.below(LIFE_US_MAX));
    let [talk, run, write] = &mut watched[..] else {
        unreachable!("each prompt has its thread");
    };
    tokio::select! {
        () = tokio::time::sleep(life) => {}
        _ = async { tokio::join!(talk.follow(&app), run.follow(&app), write.follow(&app)) } => {}
    }
    app.kill().await;
    // What was on its way when the process died may still arrive.
    for watched in &mut watched {
        watched.events.until_end().await;
    }
    watched
}

#[tokio::test]
async fn whatever_the_moment_of_a_crash_nothing_that_was_seen_is_lost() {
    let model = ModelServer::start().await;
    model.answer_with(answer);
    let home = Home::with_model(&model);
    let mut app = program(&home).serve().await;
    let mut kept = Vec::new();
    let mut cut_off = 0;
    for seed in 0..long::count(20, 200) as u64 {
        println!("seed {seed}");
        let watched = live(app, &mut Dice::new(seed)).await;
        app = program(&home).serve().await;
        for watched in watched {
            let history = watched.check(&app).await;
            let end = history.last().unwrap();
            cut_off += usize::from(end.payload["recovered"] == true);
            let mut events = app.follow(&watched.thread, end.seq).await;
            app.start_turn(&watched.thread, "next").await;
            let next = events.until("turn.completed").await;
            assert_eq!(next.payload["turn"]["status"], "completed");
            kept.push((watched.thread, history.len() + events.seen().len()));
        }
    }
    assert!(cut_off > 0, "no turn was cut off: the lives are too long");
    app.kill().await;
    let opened = open(&home);
    assert!(opened.store.ended_uncleanly());
    for (thread, events) in &kept {
        opened.check_chain(thread, *events);
    }
}
