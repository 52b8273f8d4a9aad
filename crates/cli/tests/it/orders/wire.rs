//! A whole turn as it is sent, member by member. What differs from run to run has a plain name.

use std::collections::BTreeMap;

use codewhale_testkit::app::Seen;
use codewhale_testkit::model_server::Reply;
use serde_json::{Value, json};

use crate::scene::Scene;

#[tokio::test]
async fn a_turn_with_thought_text_call_and_question_on_the_wire() {
    let scene = Scene::configured("[store]\nmerge_deltas = false").await;
    let write = r#"{"path":"a.txt","content":"a\n"}"#;
    scene.model.push(
        Reply::new()
            .reasoning("Hm.")
            .call("call_1", "write_file", write),
    );
    scene.model.push(Reply::says("Done.").usage(12, 3));
    let (thread, mut events) = scene.thread(json!({ "title": "On the wire" })).await;
    scene.app.start_turn(&thread, "write it").await;
    let required = events.until("approval.required").await;
    let approval = required.payload["id"].as_str().unwrap().into();
    assert_eq!(scene.app.decide(&approval, "allow").await.status, 200);
    events.until("turn.completed").await;
    let workspace = scene.home.workspace().display().to_string();
    insta::assert_snapshot!(plain(events.seen(), &workspace));
}

/// The envelopes, each on lines of its own, with plain names.
fn plain(events: &[Seen], workspace: &str) -> String {
    let mut names = Names {
        workspace: workspace.to_owned(),
        ids: BTreeMap::new(),
    };
    let mut text = String::new();
    for event in events {
        let mut envelope: Value = serde_json::from_str(&event.data).unwrap();
        names.rename(&mut envelope);
        text.push_str(&serde_json::to_string_pretty(&envelope).unwrap());
        text.push('\n');
    }
    text
}

struct Names {
    workspace: String,
    /// Plain names by what they stand for.
    ids: BTreeMap<String, String>,
}

impl Names {
    fn rename(&mut self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.name(text),
            Value::Array(values) => values.iter_mut().for_each(|value| self.rename(value)),
            Value::Object(members) => {
                for (name, value) in members {
                    match name.as_str() {
                        "duration_ms" => *value = json!(0),
                        "local_date" => *value = json!("DAY"),
                        _ => self.rename(value),
                    }
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn name(&mut self, text: &str) -> String {
        let is_hex = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
        if text.len() == 24 && text.ends_with('Z') && text.as_bytes()[10] == b'T' {
            return "TIME".to_owned();
        }
        if text.len() == 64 && is_hex(text) {
            return "DIGEST".to_owned();
        }
        match text.rsplit_once('_') {
            Some((prefix, rest)) if rest.len() == 32 && is_hex(rest) => {
                let number = self.ids.keys().filter(|id| id.starts_with(prefix)).count() + 1;
                let name = self.ids.entry(text.to_owned());
                name.or_insert_with(|| format!("{prefix}_{number}")).clone()
            }
            _ => text.replace(&self.workspace, "WORKSPACE"),
        }
    }
}
