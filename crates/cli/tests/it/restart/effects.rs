//! `kill -9` while effects happen that can be counted: a file that is appended to, a server that
//! counts who calls. Nothing happens twice, and what may have happened is told as such.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use codewhale_protocol::runtime::{Seq, ThreadId, TurnItemRecord};
use codewhale_testkit::app::{App, Home, Seen};
use codewhale_testkit::long;
use codewhale_testkit::model_server::{ModelServer, Reply, Request};
use serde_json::json;
use tokio::io::AsyncReadExt;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use super::check_survived;
use crate::dice::Dice;
use crate::scene::program;

/// How long a program lives at most after the call it dies in began, in microseconds: the length of
/// a call and a little more.
const LIFE_US_MAX: u64 = 30_000;

/// Effects that a turn has when nobody disturbs it.
const CALLS: usize = 6;

/// Where calls to the file are counted, in the workspace.
const COUNTER: &str = "counter.txt";

/// A server that counts who calls.
struct Counter {
    port: u16,
    heard: Arc<Mutex<Vec<String>>>,
    _listening: JoinHandle<()>,
}

impl Counter {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let heard: Arc<Mutex<Vec<String>>> = Arc::default();
        let ears = Arc::clone(&heard);
        #[expect(
            clippy::disallowed_methods,
            reason = "it listens for as long as the test runs"
        )]
        let listening = tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let mut text = String::new();
                let _ = stream.read_to_string(&mut text).await;
                let names = text.split_whitespace().map(str::to_owned);
                ears.lock().unwrap().extend(names);
            }
        });
        Self {
            port,
            heard,
            _listening: listening,
        }
    }

    /// A command that counts its name: every second one in the file, the others here.
    fn command(&self, name: &str, index: usize) -> String {
        match index % 2 {
            0 => format!("sleep 0.01; echo {name} >> {COUNTER}; sleep 0.01"),
            _ => format!("echo {name} > /dev/tcp/127.0.0.1/{}; sleep 0.02", self.port),
        }
    }

    fn counts(&self, home: &Home) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        let file = home.read(COUNTER).unwrap_or_default();
        let heard = self.heard.lock().unwrap().clone();
        for name in file.lines().map(str::to_owned).chain(heard) {
            *counts.entry(name).or_default() += 1;
        }
        counts
    }
}

/// A model that has one effect after the other, each with a name of its own.
fn answer(request: &Request, counter: &Counter) -> Reply {
    let messages = request.messages();
    let prompt = request.last_user_text().unwrap_or_default();
    let done = messages.iter().rev().take_while(|it| it["role"] != "user");
    let done = done.filter(|it| it["role"] == "tool").count();
    if !prompt.starts_with("life") || done == CALLS {
        return Reply::says("Done.");
    }
    let name = format!("{prompt}-{done}");
    let arguments = json!({ "command": counter.command(&name, done) });
    Reply::calls(&name, "exec_shell", &arguments.to_string())
}

fn call_of(item: &TurnItemRecord) -> Option<(String, String)> {
    let metadata = item.metadata.as_ref()?;
    let name = metadata["tool"]["id"].as_str()?;
    let outcome = metadata["outcome"].as_str().unwrap_or("told");
    Some((name.to_owned(), outcome.to_owned()))
}

/// What begins with an event: an item of this kind, or the end of everything.
fn kind_of(event: &Seen) -> &str {
    match event.event.as_str() {
        "item.started" => event.payload["item"]["kind"].as_str().unwrap_or_default(),
        "turn.completed" => "end",
        _ => "",
    }
}

/// One life: a turn with effects, cut off somewhere.
async fn live(app: App, seed: u64) -> (ThreadId, Vec<Seen>) {
    let body = json!({ "allow_shell": true, "permission_posture": "full_access" });
    let thread = app.create_thread(body).await.id;
    let mut events = app.follow(&thread, Seq::ZERO).await;
    app.start_turn(&thread, &format!("life{seed}")).await;
    let mut dice = Dice::new(seed);
    for _ in 0..=dice.below(CALLS as u64) {
        let is_next = |event: &Seen| matches!(kind_of(event), "command_execution" | "end");
        events.until_one(is_next).await;
    }
    tokio::time::sleep(Duration::from_micros(dice.below(LIFE_US_MAX))).await;
    app.kill().await;
    events.until_end().await;
    (thread, events.into_seen())
}

#[tokio::test]
async fn whatever_the_moment_of_a_crash_no_effect_is_repeated_and_every_doubt_is_told() {
    let counter = Arc::new(Counter::start().await);
    let model = ModelServer::start().await;
    let told = Arc::clone(&counter);
    model.answer_with(move |request| answer(request, &told));
    let home = Home::with_model(&model);
    let mut app = program(&home).serve().await;
    let mut doubts = 0;
    for seed in 0..long::count(20, 200) as u64 {
        println!("seed {seed}");
        let (thread, seen) = live(app, seed).await;
        app = program(&home).serve().await;
        check_survived(&app, &thread, &seen).await;
        let mut events = app
            .follow(&thread, app.snapshot(&thread).await.latest_seq)
            .await;
        app.start_turn(&thread, "go on").await;
        events.until("turn.completed").await;
        let snapshot = app.snapshot(&thread).await;
        let counts = counter.counts(&home);
        let mut unknown = 0;
        for (name, outcome) in snapshot.items.iter().filter_map(call_of) {
            let count = counts.get(&name).copied().unwrap_or(0);
            match outcome.as_str() {
                "unknown" => {
                    unknown += 1;
                    assert!(count <= 1, "{name}: {count}");
                }
                "not_run" => assert_eq!(count, 0, "{name}"),
                _ => assert_eq!(count, 1, "{name}"),
            }
        }
        assert_eq!(snapshot.turns[0].outcome_unknown, unknown, "seed {seed}");
        doubts += unknown;
    }
    let counts = counter.counts(&home);
    assert!(counts.values().all(|count| *count == 1), "{counts:?}");
    assert!(doubts > 0, "no effect was cut off: the lives are too long");
}
