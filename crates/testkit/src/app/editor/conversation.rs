//! What an editor and the program say to each other. Every message of both sides is held against the
//! published schema of the protocol when it is said, so that no test can forget to.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use jsonschema::Validator;
use serde_json::{Map, Value, json};

/// Where an SDK brings the schema, under the folder of parts.
const SCHEMA: &str = "npm/node_modules/@agentclientprotocol/sdk/schema/v1/schema.json";

/// Who says something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// The editor.
    Client,
    /// The program.
    Agent,
}

/// A conversation, as far as it must be known to tell what an answer answers.
#[derive(Default)]
pub struct Conversation {
    /// Requests that wait for an answer: who asked, under which id, what.
    waiting: Vec<(Side, Value, String)>,
    /// How many messages were held against the schema.
    count: usize,
}

impl Conversation {
    /// Holds a message against the schema; panics when it is not as that says.
    pub fn say(&mut self, side: Side, message: &Value) {
        assert_eq!(message["jsonrpc"], "2.0", "{message}");
        let (id, method) = (message.get("id"), message["method"].as_str());
        let (name, part) = match (method, id) {
            (Some(method), Some(_)) => (PUBLISHED.name(method, "Request"), &message["params"]),
            (Some(method), None) => (PUBLISHED.name(method, "Notification"), &message["params"]),
            (None, _) => match (message.get("error"), self.asked(side, message)) {
                (Some(error), _) => ("Error", error),
                // Some send as a request what wants no answer.
                (None, Some(method)) if PUBLISHED.is_notification(&method) => {
                    assert_eq!(message["result"], Value::Null, "{message}");
                    return;
                }
                (None, Some(method)) => {
                    let name = PUBLISHED.name(&method, "Response");
                    (name, &message["result"])
                }
                (None, None) => panic!("{side:?} answers what nobody asked: {message}"),
            },
        };
        PUBLISHED.check(name, part);
        self.count += 1;
        self.expect(side, message);
    }

    /// Takes a request as it is, good or bad: its answer is held against the schema.
    pub fn expect(&mut self, side: Side, message: &Value) {
        if let (Some(method), Some(id)) = (message["method"].as_str(), message.get("id")) {
            self.waiting.push((side, id.clone(), method.to_owned()));
        }
    }

    /// How many messages were held against the schema.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Reads a conversation that somebody else had, one message per line; who spoke follows from what
    /// was said. Gives the messages.
    pub fn overheard(lines: &str) -> (Self, Vec<(Side, Value)>) {
        let mut conversation = Self::default();
        let mut said = Vec::new();
        for line in lines.lines() {
            let message: Value = serde_json::from_str(line)
                .unwrap_or_else(|error| panic!("{line:?} is no message: {error}"));
            let side = conversation.speaker(&message);
            conversation.say(side, &message);
            said.push((side, message));
        }
        (conversation, said)
    }

    /// Who says this: the side that does not serve the method, or that was asked last under the id.
    fn speaker(&self, message: &Value) -> Side {
        let other = |side| match side {
            Side::Client => Side::Agent,
            Side::Agent => Side::Client,
        };
        match message["method"].as_str() {
            Some(method) if PUBLISHED.served_by_client(method) => Side::Agent,
            Some(_) => Side::Client,
            None => {
                let mut latest = self.waiting.iter().rev();
                let asked = latest.find(|(_, id, _)| *id == message["id"]);
                asked.map_or(Side::Agent, |(side, ..)| other(*side))
            }
        }
    }

    /// The method that this answers, if the other side waits for it.
    fn asked(&mut self, side: Side, answer: &Value) -> Option<String> {
        let is_it = |it: &(Side, Value, String)| it.0 != side && it.1 == answer["id"];
        let index = self.waiting.iter().rposition(is_it)?;
        Some(self.waiting.remove(index).2)
    }
}

static PUBLISHED: LazyLock<Published> = LazyLock::new(Published::read);

/// The published schema.
struct Published {
    schema: Value,
    /// Its definitions, by method and kind of message.
    names: HashMap<(String, &'static str), String>,
    /// What is held against it, as far as it was needed.
    validators: Mutex<HashMap<String, Arc<Validator>>>,
}

impl Published {
    fn read() -> Self {
        let parts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.xtask");
        let path = parts.join(SCHEMA);
        let text = std::fs::read_to_string(&path)
            .unwrap_or_else(|error| panic!("{}: {error}: run `cargo xtask test`", path.display()));
        let schema: Value = serde_json::from_str(&text).expect("the schema is JSON");
        Self {
            names: names(&schema),
            schema,
            validators: Mutex::default(),
        }
    }

    fn name(&self, method: &str, kind: &'static str) -> &str {
        let name = self.names.get(&(method.to_owned(), kind));
        name.unwrap_or_else(|| panic!("the schema has no {kind} {method}"))
    }

    fn is_notification(&self, method: &str) -> bool {
        let kind = (method.to_owned(), "Notification");
        self.names.contains_key(&kind)
    }

    fn served_by_client(&self, method: &str) -> bool {
        let kinds = ["Request", "Notification"].into_iter();
        let mut names = kinds.filter_map(|kind| self.names.get(&(method.to_owned(), kind)));
        names.any(|name| self.schema["$defs"][name]["x-side"] == "client")
    }

    fn check(&self, name: &str, value: &Value) {
        let problems: Vec<_> = self
            .validator(name)
            .iter_errors(value)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(problems.is_empty(), "{name}: {problems:#?}\nin {value:#}");
    }

    fn validator(&self, name: &str) -> Arc<Validator> {
        let mut made = self
            .validators
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let validator = made.entry(name.to_owned()).or_insert_with(|| {
            let mut needed = Map::new();
            let root = json!({ "$ref": format!("#/$defs/{name}") });
            collect(&self.schema, &root, &mut needed);
            let whole = json!({ "allOf": [root], "$defs": needed });
            Arc::new(jsonschema::draft202012::new(&whole).expect("the schema is one"))
        });
        Arc::clone(validator)
    }
}

fn names(schema: &Value) -> HashMap<(String, &'static str), String> {
    let mut names = HashMap::new();
    let definitions = schema["$defs"].as_object();
    for (name, definition) in definitions.expect("a schema has definitions") {
        let kinds = ["Request", "Response", "Notification"];
        let kind = kinds.into_iter().find(|kind| name.ends_with(kind));
        if let (Some(method), Some(kind)) = (definition["x-method"].as_str(), kind) {
            names.insert((method.to_owned(), kind), name.clone());
        }
    }
    names
}

/// The definitions that a part needs, and no others.
fn collect(schema: &Value, part: &Value, needed: &mut Map<String, Value>) {
    match part {
        Value::Object(members) => {
            let target = members.get("$ref").and_then(Value::as_str);
            let name = target.and_then(|target| target.strip_prefix("#/$defs/"));
            if let Some(name) = name
                && !needed.contains_key(name)
            {
                let definition = &schema["$defs"][name];
                needed.insert(name.to_owned(), definition.clone());
                collect(schema, definition, needed);
            }
            members
                .values()
                .for_each(|part| collect(schema, part, needed));
        }
        Value::Array(parts) => parts.iter().for_each(|part| collect(schema, part, needed)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
