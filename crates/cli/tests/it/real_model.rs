//! Turns with a real model behind a real server, in each dialect. What it says differs from one
//! machine to the next; that it is told, counted, stopped and survived does not.

mod answers;
mod failures;
mod interrupts;
mod windows;

use codewhale_protocol::runtime::{Seq, ThreadId, TurnRecord, Usage};
use codewhale_testkit::app::{App, Follower, Home, Seen};
use codewhale_testkit::real_model::{KEY, Voice};
use serde_json::json;

use crate::scene::program;

/// The dialects, by the word that chooses them.
const WIRES: [&str; 3] = ["openai", "anthropic", "responses"];

/// A program whose providers are all the same model: one of each dialect, named after it.
struct Real {
    app: App,
    home: Home,
}

/// A thread with the events it had so far.
struct Talk {
    thread: ThreadId,
    events: Follower,
}

impl Real {
    async fn new(voice: Voice) -> Self {
        Self::configured(&config(&voice.base_url(), KEY)).await
    }

    async fn configured(config: &str) -> Self {
        let home = Home::new();
        home.configure(config);
        let app = program(&home).serve().await;
        Self { app, home }
    }

    /// The same program, started anew, with another voice of the model.
    async fn again(self, voice: Voice) -> Self {
        let Self { app, home } = self;
        app.terminate().await;
        home.configure(&config(&voice.base_url(), KEY));
        let app = program(&home).serve().await;
        Self { app, home }
    }

    /// A new thread that speaks this dialect.
    async fn talk(&self, wire: &str) -> Talk {
        let body = json!({ "model_provider_id": wire });
        let thread = self.app.create_thread(body).await.id;
        self.listen(thread, Seq::ZERO).await
    }

    async fn listen(&self, thread: ThreadId, after: Seq) -> Talk {
        let events = self.app.follow(&thread, after).await;
        Talk { thread, events }
    }

    /// Runs a turn to its end, and tells that end.
    async fn run(&self, talk: &mut Talk, prompt: &str) -> TurnRecord {
        self.app.start_turn(&talk.thread, prompt).await;
        talk.end().await
    }
}

impl Talk {
    async fn end(&mut self) -> TurnRecord {
        let end = self.events.until("turn.completed").await;
        serde_json::from_value(end.payload["turn"].clone()).unwrap()
    }

    /// Waits until the model is in the middle of an answer.
    async fn in_the_middle(&mut self) {
        for _ in 0..3 {
            self.events.until("item.delta").await;
        }
    }

    /// The events of the last turn.
    fn last_turn(&self) -> &[Seen] {
        let seen = self.events.seen();
        let start = seen.iter().rposition(|it| it.event == "turn.started");
        &seen[start.unwrap()..]
    }
}

/// A program with one provider of each dialect, which do not wait long before they try again.
/// Pieces of text are told one by one, so that they can be counted.
fn config(base_url: &str, key: &str) -> String {
    let provider = |wire| {
        format!(
            "[providers.{wire}]\nkind = \"openai-compatible\"\nwire = \"{wire}\"\n\
             base_url = \"{base_url}\"\napi_key = \"{key}\"\nmodel = \"small\"\n\n"
        )
    };
    let providers: String = WIRES.map(provider).concat();
    format!(
        "{providers}[retry]\nmax_retries = 2\ninitial_delay = 0.01\nmax_delay = 0.02\n\n\
         [store]\nmerge_deltas = false\n"
    )
}

/// What a turn has cost.
fn usage(turn: &TurnRecord) -> Usage {
    turn.usage.unwrap()
}
