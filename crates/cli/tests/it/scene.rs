//! The usual scene: a home with a scripted model as its only provider, and the program serving.

use codewhale_protocol::runtime::{Seq, ThreadId, TurnRecord};
use codewhale_testkit::app::{App, Follower, Home, Program, config_for};
use codewhale_testkit::model_server::{ModelServer, Reply};
use serde_json::{Value, json};

/// The program under test.
pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_codewhale");

/// The last words of the program before it is silent.
pub(crate) const LAST_WORDS: &str = "Only programs on this machine can reach this address.\n";

/// The beginning of a PNG picture, in base64; nobody here looks at the rest.
pub(crate) const PICTURE: &str = "iVBORw0KGgoAAAAA";

pub(crate) struct Scene {
    pub(crate) app: App,
    pub(crate) model: ModelServer,
    pub(crate) home: Home,
}

impl Scene {
    pub(crate) async fn new() -> Self {
        Self::configured("").await
    }

    /// With more tables in the configuration.
    pub(crate) async fn configured(tables: &str) -> Self {
        let model = ModelServer::start().await;
        let home = Home::new();
        home.configure(&config_for(&model, tables));
        let app = program(&home).serve().await;
        Self { app, model, home }
    }

    /// Makes a thread and follows it from its first event on.
    pub(crate) async fn thread(&self, body: Value) -> (ThreadId, Follower) {
        let thread = self.app.create_thread(body).await.id;
        let mut events = self.app.follow(&thread, Seq::ZERO).await;
        events.until("thread.started").await;
        (thread, events)
    }

    /// A thread on which a turn runs that has said "Hello" and will not say more.
    pub(crate) async fn stalled_turn(&self) -> (TurnRecord, Follower) {
        self.model.push(Reply::says("Hello").stall());
        let (thread, mut events) = self.thread(json!({})).await;
        let turn = self.app.start_turn(&thread, "say hello").await;
        events.until("item.delta").await;
        (turn, events)
    }
}

/// The program in this home.
pub(crate) fn program(home: &Home) -> Program {
    Program::new(BINARY, home)
}
