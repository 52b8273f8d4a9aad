use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;

use super::*;
use crate::Registry;
use crate::testing::Bench;
use crate::testing_library::Books;

struct Desk {
    bench: Bench,
    memory: PathBuf,
}

impl Desk {
    fn new() -> Self {
        let bench = Bench::new();
        let memory = bench.outside.join("memory/MEMORY.md");
        Self { bench, memory }
    }

    fn context(&self) -> Context {
        let memory = self.memory.clone();
        self.bench
            .context()
            .with_library(Arc::new(Books { memory }))
    }

    async fn prepare(&self, input: Value) -> Result<Prepared, Output> {
        let registry = Registry::builtin();
        let tool = registry.get("remember").unwrap();
        tool.prepare(input, &self.context()).await
    }

    async fn call(&self, input: Value) -> Output {
        match self.prepare(input).await {
            Ok(prepared) => prepared.run(self.context()).await,
            Err(output) => output,
        }
    }

    fn written(&self) -> String {
        fs::read_to_string(&self.memory).unwrap()
    }
}

#[tokio::test]
async fn notes_are_added_changed_and_removed() {
    let desk = Desk::new();
    let input = json!({"note": " Use\n tabs.\u{7} ", "evidence": "the user said so"});
    let output = desk.call(input).await;
    assert!(output.success, "{}", output.text);
    assert!(
        output
            .text
            .starts_with("remembered in the workspace memory")
    );
    assert_eq!(desk.written(), "Use tabs. (evidence: the user said so)\n");
    let mode = fs::metadata(&desk.memory).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let input = json!({"action": "revise", "replaces": "tabs", "note": "spaces"});
    assert!(desk.call(input).await.success);
    assert!(desk.written().starts_with("Use spaces."));
    assert!(desk.call(json!({"note": "Second."})).await.success);
    let input = json!({"action": "retire", "replaces": "Second.", "scope": "global"});
    assert_eq!(desk.call(input).await.text, "retired in the global memory");
    assert_eq!(desk.written(), "Use spaces. (evidence: the user said so)\n");
}

#[tokio::test]
async fn a_person_sees_the_file_and_the_note_before_it_is_written() {
    let desk = Desk::new();
    let prepared = desk.prepare(json!({"note": "Use tabs."})).await.unwrap();
    assert_eq!(prepared.demand, Demand::write(desk.memory.clone(), true));
    let diff = prepared.preview.diff.unwrap();
    assert!(diff.contains("+Use tabs."), "{diff}");
    assert_eq!(
        prepared.preview.path,
        Some(desk.memory.display().to_string())
    );
    assert!(!desk.memory.exists());
}

#[tokio::test]
async fn a_memory_that_changed_meanwhile_is_not_overwritten() {
    let desk = Desk::new();
    let first = desk.prepare(json!({"note": "One."})).await.unwrap();
    let second = desk.prepare(json!({"note": "Two."})).await.unwrap();
    assert!(first.run(desk.context()).await.success);
    let output = second.run(desk.context()).await;
    assert!(
        !output.success && output.text.contains("Repeat the call"),
        "{}",
        output.text
    );
    assert_eq!(desk.written(), "One.\n");
}

#[tokio::test]
async fn a_memory_that_somebody_else_writes_right_now_is_left_alone() {
    let desk = Desk::new();
    let prepared = desk.prepare(json!({"note": "One."})).await.unwrap();
    let held = hold(desk.memory.parent().unwrap()).unwrap();
    let output = prepared.run(desk.context()).await;
    assert!(
        !output.success && output.text.contains("try once more"),
        "{}",
        output.text
    );
    assert!(!desk.memory.exists());
    drop(held);
    assert!(desk.call(json!({"note": "One."})).await.success);
}

#[tokio::test]
async fn what_is_no_note_is_refused_with_what_to_do() {
    let desk = Desk::new();
    for (input, why) in [
        (json!({}), "`note` is empty"),
        (json!({"note": " \n\u{0}"}), "`note` is empty"),
        (json!({"note": "x".repeat(2_001)}), "a sentence or two"),
        (
            json!({"note": "x", "evidence": "y".repeat(2_000)}),
            "a sentence or two",
        ),
        (
            json!({"note": "x", "replaces": "1"}),
            "use the action `revise`",
        ),
        (json!({"action": "revise", "note": "x"}), "the id of a note"),
        (
            json!({"action": "retire", "replaces": " "}),
            "the id of a note",
        ),
        (
            json!({"action": "retire", "replaces": "1"}),
            "memory_search",
        ),
        (json!({"action": "forget"}), "unknown variant `forget`"),
        (
            json!({"note": "x", "scope": "universe"}),
            "unknown variant `universe`",
        ),
    ] {
        let output = desk.call(input).await;
        assert!(
            !output.success && output.text.contains(why),
            "{}",
            output.text
        );
    }
    assert!(!desk.memory.exists());
}

#[tokio::test]
async fn a_memory_that_is_off_keeps_nothing() {
    let output = Bench::new().call("remember", json!({"note": "x"})).await;
    assert!(!output.success && output.text.starts_with("memory is off"));
}
