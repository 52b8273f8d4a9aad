use serde_json::{Value, json};

use super::*;

fn body() -> Value {
    json!({
        "target": "this_computer",
        "roles": [{ "name": "builder" }],
        "workflow": { "id": "w", "kind": "parallel", "tasks": [
            { "id": "a", "name": "A", "instructions": "do a", "worker": { "role": "builder" } },
            { "id": "b", "name": "B", "instructions": "do b", "worker": { "role": "builder" } },
        ] },
    })
}

fn check(change: impl FnOnce(&mut Value)) -> Result<Plan, String> {
    let mut body = body();
    change(&mut body);
    let params = serde_json::from_value(body).unwrap();
    plan(&params, &[("PATH".to_owned(), "/bin".to_owned())]).map_err(|it| it.to_string())
}

#[track_caller]
fn refused(word: &str, change: impl FnOnce(&mut Value)) {
    let error = check(change).err().expect("it is refused");
    assert!(error.contains(word), "{error}");
}

#[test]
fn what_is_in_order_becomes_a_plan() {
    let plan = check(|_| {}).unwrap();
    assert_eq!((plan.name.as_str(), plan.workers), ("w", 1));
    assert_eq!((plan.tasks.len(), plan.stale_after_seconds), (2, 300));
    assert!(plan.writes && plan.warnings.is_empty());
    let plan = check(|body| body["max_workers"] = json!(128)).unwrap();
    assert_eq!(plan.workers, 2, "no more than there are tasks");
    let plan = check(|body| {
        body["roles"] = json!([{ "name": "oracle" }]);
        for task in body["workflow"]["tasks"].as_array_mut().unwrap() {
            task["worker"]["role"] = json!("advisor");
        }
    });
    let plan = plan.unwrap();
    assert_eq!(plan.roles[0].name, "consultant");
    assert!(!plan.writes);
}

#[test]
fn what_is_not_is_refused_in_words() {
    refused("this_computer", |body| body["target"] = json!("cloud"));
    refused("this_computer", |body| body["target"] = json!("moon"));
    refused("max_workers", |body| {
        body["worker_specs"] = json!([{ "id": "x" }])
    });
    refused("security_policy", |body| {
        body["security_policy"] = json!({})
    });
    refused("1 to 128 roles", |body| body["roles"] = json!([]));
    refused("two roles", |body| {
        body["roles"] = json!([{ "name": "builder" }, { "name": "builder" }]);
    });
    refused("has no task", |body| {
        body["roles"] = json!([{ "name": "builder" }, { "name": "scout" }]);
    });
    refused("letters", |body| body["roles"] = json!([{ "name": "a b" }]));
    refused("parallel", |body| {
        body["workflow"]["kind"] = json!("serial")
    });
    refused("one line", |body| body["name"] = json!("a\nb"));
    refused("max_workers", |body| body["max_workers"] = json!(129));
    refused("stale_after_seconds", |body| {
        body["stale_after_seconds"] = json!(0)
    });
    let task =
        |change: fn(&mut Value)| move |body: &mut Value| change(&mut body["workflow"]["tasks"][1]);
    refused("two tasks", task(|it| it["id"] = json!("a")));
    refused("letters", task(|it| it["id"] = json!("..")));
    refused("letters", task(|it| it["id"] = json!("a/b")));
    refused("instructions", task(|it| it["instructions"] = json!(" ")));
    refused("worker.role", task(|it| it["worker"] = json!({})));
    refused("profile", task(|it| it["worker"]["profile"] = json!("x")));
    refused("model", task(|it| it["worker"]["model"] = json!("--auto")));
    refused("relative", task(|it| it["input_files"] = json!(["../x"])));
    refused(
        "relative",
        task(|it| it["workspace"] = json!({ "root": "/" })),
    );
    refused(
        "scorer",
        task(|it| {
            it["scorer"] = json!({ "kind": "regex_match", "path": "x", "pattern": "(" });
        }),
    );
    refused("at least 1", task(|it| it["timeout_seconds"] = json!(0)));
    refused(
        "max_attempts",
        task(|it| it["retry_policy"] = json!({ "max_attempts": 0 })),
    );
    refused(
        "variable",
        task(|it| {
            it["workspace"] = json!({ "environment": { "required": ["SECRET"] } });
        }),
    );
}

#[test]
fn no_two_tasks_write_the_same() {
    let paths = |one: &'static str, other: &'static str| {
        move |body: &mut Value| {
            let tasks = &mut body["workflow"]["tasks"];
            tasks[0]["workspace"] = json!({ "writable_paths": [one] });
            tasks[1]["workspace"] = json!({ "writable_paths": [other] });
        }
    };
    refused("no two tasks", paths("src", "src/a"));
    refused("no two tasks", paths("src/./a", "src/a"));
    refused("no two tasks", paths(".", "docs"));
    assert!(check(paths("src", "srcs")).is_ok());
    assert!(check(paths("src/a", "src/b")).is_ok());
}
