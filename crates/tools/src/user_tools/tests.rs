use std::os::unix::fs::PermissionsExt;

use codewhale_policy::{Act, Demand, Execution};
use serde_json::{Value, json};

use super::*;
use crate::limits::MANIFEST_BYTES_MAX;
use crate::testing::Bench;
use crate::{Output, Prepared};

fn script(bench: &Bench, name: &str, text: &str) {
    let path = bench.outside.join(name);
    bench.write(&path, format!("#!/bin/sh\n{text}\n"));
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn manifest(bench: &Bench, file: &str, more: Value) {
    let mut manifest = json!({
        "name": "echoing",
        "description": "Says what it was told.",
        "effect": "read",
        "executable": "echoing.sh",
    });
    let more = more.as_object().unwrap().clone();
    manifest.as_object_mut().unwrap().extend(more);
    bench.write(bench.outside.join(file), manifest.to_string());
}

/// A tool that answers with this script.
fn tool(bench: &Bench, text: &str, more: Value) -> Arc<dyn Tool> {
    script(bench, "echoing.sh", text);
    manifest(bench, "echoing.json", more);
    let (mut tools, problems) = load(&bench.outside);
    assert!(problems.is_empty(), "{problems:?}");
    tools.remove(0)
}

async fn prepare(bench: &Bench, tool: &Arc<dyn Tool>, input: Value) -> Result<Prepared, Output> {
    tool.prepare(input, &bench.context()).await
}

async fn call(bench: &Bench, text: &str, more: Value, input: Value) -> Output {
    let tool = tool(bench, text, more);
    match prepare(bench, &tool, input).await {
        Ok(prepared) => prepared.run(bench.context()).await,
        Err(failure) => failure,
    }
}

#[tokio::test]
async fn a_program_gets_the_input_and_its_output_is_the_result() {
    let bench = Bench::new();
    let input = json!({"text": "grüße \"x\""});
    let output = call(
        &bench,
        "cat; pwd; echo $GREETING $1",
        json!({"arguments": ["a b"]}),
        input,
    )
    .await;
    let workspace = bench.workspace.display();
    let text = format!("{{\"text\":\"grüße \\\"x\\\"\"}}{workspace}\nhello a b\n");
    assert_eq!((output.success, output.text), (true, text));
}

#[tokio::test]
async fn to_the_law_it_is_a_command() {
    let bench = Bench::new();
    let tool = tool(&bench, "true", json!({"arguments": ["--flag", "it's"]}));
    assert_eq!(
        (&*tool.spec().name, tool.spec().act),
        ("echoing", Act::Execute)
    );
    let prepared = prepare(&bench, &tool, json!({"a": 1})).await.unwrap();
    let program = bench.outside.join("echoing.sh").display().to_string();
    let script = format!(r"{program} --flag 'it'\''s'");
    assert_eq!(prepared.preview.command.as_ref(), Some(&script));
    assert!(
        prepared
            .preview
            .description
            .contains("says that it only reads, with {\"a\":1}")
    );
    let execution = Execution::within(script, &bench.workspace);
    assert_eq!(prepared.demand, Demand::Execute(execution));
}

#[tokio::test]
async fn a_program_that_fails_is_a_failure() {
    let bench = Bench::new();
    let output = call(&bench, "echo wrong >&2; exit 3", json!({}), json!({})).await;
    assert_eq!(
        (output.success, output.text.as_str()),
        (false, "wrong\n[exit code 3]")
    );
    let output = call(&bench, "true", json!({}), json!({})).await;
    assert_eq!(
        (output.success, output.text.as_str()),
        (true, "[it wrote nothing]")
    );
    let output = call(
        &bench,
        "cat </dev/zero | head -c 300000 | tr '\\0' x",
        json!({}),
        json!({}),
    )
    .await;
    assert!(output.success && output.text.len() < 50_000);
    assert_eq!(output.metadata.unwrap()["truncated"], true);
}

#[tokio::test]
async fn a_program_that_does_not_end_is_stopped() {
    let bench = Bench::new();
    let output = call(&bench, "sleep 600", json!({"timeout_ms": 1}), json!({})).await;
    assert_eq!(
        (output.success, output.text.as_str()),
        (false, "[stopped after 1 s, its time limit]")
    );
    let tool = tool(&bench, "sleep 600", json!({}));
    let prepared = prepare(&bench, &tool, json!({})).await.unwrap();
    bench.cancel.cancel();
    let output = prepared.run(bench.context()).await;
    assert!(
        output.text.contains("stopped before its end"),
        "{}",
        output.text
    );
}

#[tokio::test]
async fn a_program_that_changed_after_the_approval_is_not_run() {
    let bench = Bench::new();
    let tool = tool(&bench, "echo good", json!({}));
    let prepared = prepare(&bench, &tool, json!({})).await.unwrap();
    script(&bench, "echoing.sh", "echo bad");
    let output = prepared.run(bench.context()).await;
    assert!(
        !output.success && output.text.contains("changed since"),
        "{}",
        output.text
    );
}

#[tokio::test]
async fn an_input_that_misses_a_member_does_not_start_the_program() {
    let bench = Bench::new();
    let schema = json!({"input_schema": {"type": "object", "required": ["text"]}});
    let output = call(&bench, "touch ran", schema, json!({})).await;
    assert_eq!(output.text, "echoing was not run: missing field `text`");
    let output = call(&bench, "touch ran", json!({}), json!("text")).await;
    assert!(output.text.contains("not a JSON object"));
    assert!(!bench.workspace.join("ran").exists());
}

#[test]
fn a_bad_manifest_is_named_and_the_others_load() {
    for (more, why) in [
        (
            json!({"name": "read_file"}),
            "there is a tool named \"read_file\" already",
        ),
        (
            json!({"name": "bash"}),
            "there is a tool named \"bash\" already",
        ),
        (
            json!({"name": "echoing"}),
            "there is a tool named \"echoing\" already",
        ),
        (json!({"name": "a b"}), "`name` must be letters"),
        (json!({"name": "a".repeat(65)}), "`name` must be letters"),
        (
            json!({"name": "other", "description": " "}),
            "`description` is empty",
        ),
        (
            json!({"name": "other", "effect": "none"}),
            "unknown variant `none`",
        ),
        (
            json!({"name": "other", "input_schema": true}),
            "must be a JSON schema",
        ),
        (
            json!({"name": "other", "executable": "/bin/sh"}),
            "below the directory of tools",
        ),
        (
            json!({"name": "other", "executable": "../x"}),
            "below the directory of tools",
        ),
        (
            json!({"name": "other", "executable": "none"}),
            "cannot be used",
        ),
        (
            json!({"name": "other", "executable": "other.json"}),
            "is not an executable file",
        ),
        (
            json!({"name": "other", "surprise": 1}),
            "unknown field `surprise`",
        ),
        (
            json!({"name": "other", "description": "x".repeat(MANIFEST_BYTES_MAX as usize)}),
            "longer than",
        ),
    ] {
        let bench = Bench::new();
        script(&bench, "echoing.sh", "true");
        manifest(&bench, "echoing.json", json!({}));
        manifest(&bench, "other.json", more);
        let (tools, problems) = load(&bench.outside);
        let names: Vec<_> = tools
            .iter()
            .map(|tool| tool.spec().name.to_string())
            .collect();
        assert_eq!(names, ["echoing"]);
        let problem = problems[0].to_string();
        assert!(
            problem.contains("other.json is no tool") && problem.contains(why),
            "{problem}"
        );
    }
    let bench = Bench::new();
    bench.write(bench.outside.join("a.json"), "{");
    bench.write(bench.outside.join("b.json"), b"\xff");
    fs::create_dir(bench.outside.join("c.json")).unwrap();
    assert_eq!(load(&bench.outside).1.len(), 3);
}

#[test]
fn a_directory_that_is_not_there_has_no_tools() {
    let bench = Bench::new();
    let (tools, problems) = load(&bench.outside.join("none"));
    assert!(tools.is_empty() && problems.is_empty());
    bench.write("file", "");
    let (_, problems) = load(&bench.workspace.join("file"));
    assert!(
        problems[0]
            .to_string()
            .contains("could not list the tools in")
    );
}

#[test]
fn loaded_tools_join_the_others_and_replace_none() {
    let bench = Bench::new();
    let tool = tool(&bench, "true", json!({}));
    let (registry, taken) = Registry::builtin().with([tool.clone(), tool]);
    assert!(registry.get("echoing").is_some() && registry.names().any(|name| name == "echoing"));
    assert_eq!(taken, ["echoing"]);
}
