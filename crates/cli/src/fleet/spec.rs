//! A file of tasks as the body of a request.

use std::path::Path;

use anyhow::{Context, bail};
use serde_json::{Map, Value, json};

/// The role of tasks that name none.
const ROLE: &str = "worker";

/// What the contract allows.
const WORKERS_MAX: u64 = 128;

/// Reads a file: a document with tasks, an array of them, or a single one.
pub(super) fn read(file: &Path, max_workers: u64) -> anyhow::Result<Value> {
    let shown = file.display();
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {shown}"))?;
    let is_toml = file.extension().is_some_and(|it| it == "toml");
    let document: Value = match is_toml {
        true => toml::from_str(&text).with_context(|| format!("{shown} is not TOML"))?,
        false => serde_json::from_str(&text).with_context(|| format!("{shown} is not JSON"))?,
    };
    let stem = file
        .file_stem()
        .and_then(|it| it.to_str())
        .unwrap_or("fleet");
    request(document, stem, max_workers).with_context(|| format!("{shown} cannot be used"))
}

fn request(document: Value, stem: &str, max_workers: u64) -> anyhow::Result<Value> {
    let mut document = match document {
        Value::Array(tasks) => Map::from_iter([("tasks".to_owned(), Value::Array(tasks))]),
        Value::Object(members) if members.contains_key("tasks") => members,
        Value::Object(task) => Map::from_iter([("tasks".to_owned(), json!([task]))]),
        _ => bail!("it must hold tasks: an array of them, one, or a document with `tasks`"),
    };
    let Some(Value::Array(mut tasks)) = document.remove("tasks") else {
        bail!("`tasks` must be an array");
    };
    let mut roles: Vec<Value> = Vec::new();
    for task in &mut tasks {
        let Value::Object(task) = task else {
            bail!("a task must be an object");
        };
        let worker = task.entry("worker").or_insert_with(|| json!({}));
        let Value::Object(worker) = worker else {
            bail!("the `worker` of a task must be an object");
        };
        let name = worker.entry("role").or_insert_with(|| json!(ROLE)).clone();
        if !roles.iter().any(|role| role["name"] == name) {
            let profile = worker.get("agent_profile").or(worker.get("profile"));
            roles.push(json!({ "name": name, "agent_profile": profile }));
        }
    }
    let specs = document
        .remove("workers")
        .or(document.remove("worker_specs"));
    let specs = specs.unwrap_or(json!([]));
    let specs = specs.as_array().map_or(&[][..], Vec::as_slice);
    let is_here = |spec: &Value| spec["host"].is_null() || spec["host"]["kind"] == "local";
    // Those that are here are slots; the others are for whoever can serve them.
    let (workers, elsewhere) = match specs.iter().all(is_here) {
        true if specs.is_empty() => (max_workers, &[][..]),
        true => (specs.len() as u64, &[][..]),
        false => (max_workers, specs),
    };
    Ok(json!({
        "name": document.get("name"),
        "target": "this_computer",
        "roles": roles,
        "workflow": { "id": token(stem), "kind": "parallel", "tasks": tasks },
        "labels": document.get("labels").unwrap_or(&json!({})),
        "max_workers": workers.clamp(1, WORKERS_MAX),
        "worker_specs": elsewhere,
        "security_policy": document.get("security_policy"),
    }))
}

/// The name of a file as an id.
fn token(stem: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let token: String = stem
        .chars()
        .map(|c| if plain(c) { c } else { '-' })
        .collect();
    token.chars().take(64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(id: &str) -> Value {
        json!({ "id": id, "name": id, "instructions": "do it" })
    }

    #[test]
    fn a_document_an_array_and_a_single_task_come_to_the_same() {
        let tasks = json!([task("a")]);
        let all = [json!({ "tasks": tasks.clone() }), tasks, task("a")];
        let all = all.map(|document| request(document, "my fleet", 4).unwrap());
        assert!(all[0] == all[1] && all[1] == all[2], "{all:#?}");
        assert_eq!(all[0]["workflow"]["id"], "my-fleet");
        assert_eq!(
            all[0]["roles"],
            json!([{ "name": "worker", "agent_profile": null }])
        );
        assert_eq!(all[0]["workflow"]["tasks"][0]["worker"]["role"], "worker");
    }

    #[test]
    fn workers_here_are_slots_and_others_are_passed_on() {
        let with = |workers: Value| {
            let document = json!({ "tasks": [task("a")], "workers": workers });
            request(document, "f", 200).unwrap()
        };
        assert_eq!(with(json!([]))["max_workers"], 128);
        let here = with(json!([{ "id": "x" }, { "id": "y", "host": { "kind": "local" } }]));
        assert_eq!(
            (&here["max_workers"], &here["worker_specs"]),
            (&json!(2), &json!([]))
        );
        let there = with(json!([{ "id": "x", "host": { "kind": "ssh", "host": "h" } }]));
        assert_eq!(there["worker_specs"].as_array().unwrap().len(), 1);
    }

    #[test]
    fn what_holds_no_tasks_is_refused() {
        for bad in [
            json!("x"),
            json!({ "tasks": 1 }),
            json!([1]),
            json!([{ "worker": 1 }]),
        ] {
            assert!(request(bad.clone(), "f", 4).is_err(), "{bad}");
        }
    }
}
