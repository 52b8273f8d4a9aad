//! The tools for skills and memory, over the files they are meant for.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on may stop")]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use codewhale_engine::Sources;
use codewhale_tools::{Context, Output, Registry};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

struct World {
    sources: Sources,
    root: PathBuf,
    _directory: TempDir,
}

impl World {
    /// A home that lies behind a link, as it does on many machines.
    fn new() -> Self {
        let directory = TempDir::new().unwrap();
        let root = directory.path().canonicalize().unwrap();
        fs::create_dir(root.join("workspace")).unwrap();
        fs::create_dir(root.join("real-home")).unwrap();
        symlink(root.join("real-home"), root.join("home")).unwrap();
        let sources = Sources {
            workspace: root.join("workspace"),
            home: root.join("home"),
            person: None,
            skills: None,
            trusted: true,
            memory: true,
        };
        Self {
            sources,
            root,
            _directory: directory,
        }
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    async fn call(&self, tool: &str, input: Value) -> Output {
        let workspace: &Path = &self.sources.workspace;
        let context = Context::new(workspace, Arc::from([]), CancellationToken::new())
            .with_library(Arc::new(self.sources.clone()));
        let registry = Registry::builtin();
        let tool = registry.get(tool).unwrap();
        match tool.prepare(input, &context).await {
            Ok(prepared) => prepared.run(context).await,
            Err(failure) => failure,
        }
    }
}

#[tokio::test]
async fn what_is_remembered_is_found_and_stands_in_the_next_prompt() {
    let world = World::new();
    let note = json!({"note": "Tests run with make check.", "evidence": "README"});
    let kept = world.call("remember", note.clone()).await;
    assert!(kept.success, "{}", kept.text);
    let again = world.call("remember", note).await;
    assert!(!again.success && again.text.contains("says this already"));
    let found = world.call("memory_search", json!({"query": "make"})).await;
    let text = "Tests run with make check. (evidence: README)";
    assert!(found.text.ends_with(text), "{}", found.text);
    let prompt = world.sources.gather().system_prompt("/w", None);
    assert!(prompt.contains(text), "{prompt}");
}

#[tokio::test]
async fn a_note_that_a_person_wrote_is_got_whole_by_the_id_that_the_search_shows() {
    let world = World::new();
    let long = format!("Use make:\n  {}\n  and wait", "check ".repeat(400).trim());
    let file = format!("# Memory\n\n- Use tabs.\n- {long}\n- Last.\n");
    world.write("home/memory/global/MEMORY.md", &file);
    let found = world.call("memory_search", json!({"query": "make"})).await;
    assert!(found.text.ends_with('…'), "{}", found.text);
    let id = found.text.split([' ', ']']).nth(1).unwrap();
    let got = world.call("memory_get", json!({"id": id})).await;
    assert_eq!(got.text, format!("[global {id}] {long}"));
    let got = world.call("memory_get", json!({"id": "00000000"})).await;
    assert!(
        !got.success && got.text.contains("memory_search"),
        "{}",
        got.text
    );
}

#[tokio::test]
async fn a_note_is_revised_and_retired_by_the_id_that_the_search_shows() {
    let world = World::new();
    let note = json!({"note": "Use tabs.", "scope": "global"});
    assert!(world.call("remember", note).await.success);
    let id = |found: &Output| found.text.split([' ', ']']).nth(1).unwrap().to_owned();
    let found = world.call("memory_search", json!({"query": "tabs"})).await;
    let revise = json!({
        "action": "revise", "scope": "global", "replaces": id(&found), "note": "Use spaces.",
    });
    assert!(world.call("remember", revise).await.success);
    let found = world.call("memory_search", json!({"query": "use"})).await;
    assert!(found.text.ends_with("Use spaces."), "{}", found.text);
    let retire = json!({"action": "retire", "scope": "global", "replaces": id(&found)});
    let retired = world.call("remember", retire).await;
    assert!(retired.success, "{}", retired.text);
    assert_eq!(world.sources.gather().memory, "");
}

#[tokio::test]
async fn a_skill_that_the_prompt_names_can_be_loaded() {
    let world = World::new();
    let text = "---\nname: deploy\ndescription: Ships it.\n---\nPush the button.\n";
    world.write("workspace/.claude/skills/deploy/SKILL.md", text);
    world.write("workspace/.claude/skills/deploy/check.sh", "true");
    world.write("real-home/skills/broken/SKILL.md", "---\nname: x\n");
    let standing = world.sources.gather();
    assert!(standing.skills.ends_with("- deploy: Ships it."));
    assert_eq!(standing.problems.len(), 1);
    let loaded = world.call("load_skill", json!({"name": "deploy"})).await;
    assert!(
        loaded.success
            && loaded
                .text
                .ends_with("Files beside it: check.sh\n\nPush the button.")
    );
    let broken = world.call("load_skill", json!({"name": "broken"})).await;
    assert!(
        !broken.success && broken.text.contains("does not end"),
        "{}",
        broken.text
    );
}

#[tokio::test]
async fn a_memory_that_is_not_text_stays_as_it_is() {
    let world = World::new();
    let file = world.root.join("real-home/memory/global/MEMORY.md");
    world.write("real-home/memory/global/MEMORY.md", "a\0b");
    let output = world
        .call("remember", json!({"note": "x", "scope": "global"}))
        .await;
    assert!(
        !output.success && output.text.contains("tell the user"),
        "{}",
        output.text
    );
    assert_eq!(fs::read(file).unwrap(), b"a\0b");
}
