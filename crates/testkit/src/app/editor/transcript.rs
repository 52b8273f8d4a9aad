//! Everything that an editor and the program said, held against the published schema of the protocol.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

/// Who said something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Side {
    Client,
    Agent,
}

/// What both sides said, in order.
#[derive(Default)]
pub struct Transcript {
    said: Vec<(Side, Value)>,
}

impl Transcript {
    pub(super) fn add(&mut self, side: Side, message: &Value) {
        self.said.push((side, message.clone()));
    }

    /// Holds every message of the program against the schema; panics with the first that is not as it
    /// says. Gives how many there were.
    pub fn check(&self, schema: &Value) -> usize {
        let names = names(schema);
        let mut asked: HashMap<String, String> = HashMap::new();
        let mut count = 0;
        for (side, message) in &self.said {
            let (id, method) = (message["id"].to_string(), message["method"].as_str());
            if *side == Side::Client {
                if let Some(method) = method {
                    asked.insert(id, method.to_owned());
                }
                continue;
            }
            assert_eq!(message["jsonrpc"], "2.0", "{message}");
            let is_request = message.get("id").is_some();
            let (part, name) = match (method, message.get("error")) {
                (Some(method), _) => {
                    let kind = if is_request {
                        "Request"
                    } else {
                        "Notification"
                    };
                    (&message["params"], name(&names, method, kind))
                }
                (None, Some(error)) => (error, "Error"),
                (None, None) => (&message["result"], name(&names, &asked[&id], "Response")),
            };
            check(schema, name, part);
            count += 1;
        }
        count
    }
}

/// The definitions of the schema by method and kind of message.
fn names(schema: &Value) -> HashMap<(String, &'static str), String> {
    let mut names = HashMap::new();
    let definitions = schema["$defs"]
        .as_object()
        .expect("a schema has definitions");
    for (name, definition) in definitions {
        let kinds = ["Request", "Response", "Notification"];
        let kind = kinds.into_iter().find(|kind| name.ends_with(kind));
        if let (Some(method), Some(kind)) = (definition["x-method"].as_str(), kind) {
            names.insert((method.to_owned(), kind), name.clone());
        }
    }
    names
}

fn name<'a>(
    names: &'a HashMap<(String, &'static str), String>,
    method: &str,
    kind: &'static str,
) -> &'a str {
    let name = names.get(&(method.to_owned(), kind));
    name.unwrap_or_else(|| panic!("the schema has no {kind} {method}"))
}

fn check(schema: &Value, name: &str, value: &Value) {
    let mut needed = Map::new();
    let root = json!({ "$ref": format!("#/$defs/{name}") });
    collect(schema, &root, &mut needed);
    let whole = json!({ "allOf": [root], "$defs": needed });
    let validator = jsonschema::draft202012::new(&whole).expect("the schema is one");
    let problems = validator.iter_errors(value);
    let problems: Vec<_> = problems
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(problems.is_empty(), "{name}: {problems:#?}\nin {value:#}");
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
