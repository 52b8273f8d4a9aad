//! Every operation of the document, asked wrongly in each way that its description leaves room for.
//! What a probe applies to is read from the document, which is written from the operation table: a
//! new row is walked without a word here.

mod bodies;
mod ids;
mod inputs;
mod methods;
mod tokens;

use codewhale_protocol::runtime::{ThreadId, TurnId};
use codewhale_testkit::app::{Answer, Described, Document, Request};
use codewhale_testkit::model_server::Reply;
use serde_json::{Value, json};

use crate::scene::Scene;

/// A program with a thread in it, and an eye on its store.
struct Walk {
    scene: Scene,
    thread: ThreadId,
    turn: TurnId,
    store: rusqlite::Connection,
}

/// Nothing has this id.
const NO_ID: &str = "nothing-has-this-id";

/// Which ids stand in a path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ids {
    /// Those of things that are there, as far as there are such.
    Known,
    /// That of the thread, and beside it some that nothing has.
    KnownThread,
    /// Nothing has them.
    Unknown,
}

impl Walk {
    async fn new() -> Self {
        let scene = Scene::configured("[memory]\nenabled = true").await;
        scene.model.push(Reply::says("Done."));
        let (thread, mut events) = scene.thread(json!({ "title": "Walked" })).await;
        let turn = scene.app.start_turn(&thread, "go").await.id;
        events.until("turn.completed").await;
        let file = scene.home.path().join("runtime.db");
        Self {
            store: rusqlite::Connection::open(file).unwrap(),
            scene,
            thread,
            turn,
        }
    }

    fn address(&self, described: &Described<'_>, ids: Ids) -> String {
        let part = |part: &str| -> String {
            match (part, ids) {
                ("{thread_id}" | "{session_id}", Ids::Known | Ids::KnownThread) => {
                    self.thread.to_string()
                }
                ("{turn_id}", Ids::Known) => self.turn.to_string(),
                (part, _) if part.starts_with('{') => NO_ID.to_owned(),
                (part, _) => part.to_owned(),
            }
        };
        let parts: Vec<String> = described.path.split('/').map(part).collect();
        parts.join("/")
    }

    /// The request as the document shows it, with the token.
    fn request(&self, described: &Described<'_>, ids: Ids) -> Request {
        let request = self.bare(described.method, &self.address(described, ids));
        match body(described) {
            Some(body) => request.json(&body["example"]),
            None => request,
        }
    }

    /// The body that the document shows, about the thread that is there.
    fn example(&self, body: &Value) -> Value {
        let mut example = body["example"].clone();
        for name in ["thread_id", "session_id"] {
            if let Some(id) = example.get_mut(name) {
                *id = json!(self.thread);
            }
        }
        example
    }

    /// What is said of a body of the wrong shape: that, or that nothing has the id in the path.
    fn wrong_shape(&self, described: &Described<'_>) -> &'static [u16] {
        match self.address(described, Ids::Known).contains(NO_ID) {
            true => &[404, 422],
            false => &[422],
        }
    }

    fn bare(&self, method: &str, target: &str) -> Request {
        self.scene.app.request(method, target)
    }

    /// Sends it and sees that it is refused like this, and that nothing was written.
    async fn refused(&self, what: &str, request: Request, status: u16) -> Answer {
        self.refused_as(what, request, &[status]).await
    }

    /// The same, where it is open which of several faults is seen first.
    async fn refused_as(&self, what: &str, request: Request, statuses: &[u16]) -> Answer {
        let before = self.head();
        let answer = self.scene.app.send(request).await;
        let status = answer.status;
        assert!(statuses.contains(&status), "{what}: {}", answer.text());
        assert_eq!(answer.json()["error"]["status"], status, "{what}");
        assert_eq!(self.head(), before, "{what}: something was written");
        answer
    }

    /// The end of the log.
    fn head(&self) -> i64 {
        let head = "SELECT COALESCE(MAX(seq), 0) FROM event";
        self.store.query_row(head, [], |row| row.get(0)).unwrap()
    }

    /// Everything that can be listed, and the thread.
    async fn everything(&self, query: &str) -> Vec<(String, u16, Value)> {
        let lists = Document::of_this_build().operations();
        let lists = lists.filter(|described| described.method == "GET" && takes_nothing(described));
        let mut addresses: Vec<String> = lists.map(|list| list.path.to_owned()).collect();
        addresses.push(format!("/v1/threads/{}", self.thread));
        let mut all = Vec::new();
        for address in addresses {
            let answer = self.scene.app.get(&format!("{address}{query}")).await;
            all.push((address, answer.status, answer.json()));
        }
        all
    }
}

/// Whether it is answered at once, whoever asks.
fn takes_nothing(described: &Described<'_>) -> bool {
    let parameters = described.operation["parameters"].as_array();
    let mut parameters = parameters.into_iter().flatten();
    !described.is_stream() && parameters.all(|parameter| parameter["required"] == false)
}

/// What the document says of the body.
fn body<'a>(described: &Described<'a>) -> Option<&'a Value> {
    let body = described.operation.get("requestBody")?;
    body.pointer("/content/application~1json")
}

/// The parameters that stand in one place.
fn parameters<'a>(described: &Described<'a>, place: &'a str) -> impl Iterator<Item = &'a Value> {
    let parameters = described.operation["parameters"].as_array();
    let parameters = parameters.into_iter().flatten();
    parameters.filter(move |parameter| parameter["in"] == place)
}

fn name(described: &Described<'_>) -> String {
    format!("{} {}", described.method, described.path)
}

#[tokio::test]
async fn a_parameter_that_may_be_empty_is_then_as_good_as_left_out() {
    let walk = Walk::new().await;
    let document = Document::of_this_build();
    let mut walked = 0;
    for described in document.operations().filter(takes_nothing) {
        let empty = parameters(&described, "query").filter(|it| it["allowEmptyValue"] == true);
        let names = empty.map(|it| it["name"].as_str().unwrap());
        let query: String = names.map(|name| format!("{name}=&")).collect();
        if query.is_empty() || described.method != "GET" {
            continue;
        }
        let plain = walk.scene.app.get(described.path).await;
        let target = format!("{}?{query}", described.path);
        let empty = walk.scene.app.get(&target).await;
        assert_eq!(
            (empty.status, empty.json()),
            (200, plain.json()),
            "{target}"
        );
        walked += 1;
    }
    assert!(walked > 5, "{walked}");
}

#[tokio::test]
async fn parameters_that_nobody_knows_change_nothing() {
    let walk = Walk::new().await;
    let plain = walk.everything("").await;
    assert_eq!(walk.everything("?nobody=knows&this").await, plain);
}
