use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;

use codewhale_protocol::service::BoxFuture;
use serde_json::{Value, json};

use super::*;
use crate::testing::Bench;
use crate::{Context, Registry};

/// An editor with these files open. It saves what it is given nowhere.
#[derive(Default)]
struct Editor {
    texts: Mutex<BTreeMap<PathBuf, String>>,
}

impl Editor {
    fn with(path: PathBuf, text: &str) -> Arc<Self> {
        let editor = Self::default();
        editor.texts.lock().unwrap().insert(path, text.to_owned());
        Arc::new(editor)
    }

    fn text(&self, path: &Path) -> Option<String> {
        self.texts.lock().unwrap().get(path).cloned()
    }
}

impl Buffers for Editor {
    fn read<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Option<String>> {
        Box::pin(async move { self.text(path) })
    }

    fn write<'a>(&'a self, path: &'a Path, text: &'a str) -> BoxFuture<'a, Result<(), String>> {
        Box::pin(async move {
            if path.ends_with("full.txt") {
                return Err("there is no room".to_owned());
            }
            let mut texts = self.texts.lock().unwrap();
            texts.insert(path.to_owned(), text.to_owned());
            Ok(())
        })
    }
}

async fn call(bench: &Bench, editor: &Arc<Editor>, tool: &str, input: Value) -> Output {
    let registry = Registry::builtin();
    let buffers = Arc::clone(editor) as Arc<dyn Buffers>;
    let context: Context = bench.context().with_files(OpenFiles::of(Some(buffers)));
    let prepared = registry.get(tool).unwrap().prepare(input, &context).await;
    match prepared {
        Ok(prepared) => prepared.run(context).await,
        Err(output) => output,
    }
}

#[tokio::test]
async fn what_the_editor_shows_is_read_and_edited_there() {
    let bench = Bench::new();
    bench.write("a.txt", "on the disk\n");
    let path = bench.workspace.join("a.txt");
    let editor = Editor::with(path.clone(), "just typed\n");
    let read = call(&bench, &editor, "read_file", json!({ "path": "a.txt" })).await;
    assert!(read.text.starts_with("just typed\n"), "{}", read.text);
    let edit = json!({ "path": "a.txt", "search": "typed", "replace": "edited" });
    let edited = call(&bench, &editor, "edit_file", edit).await;
    assert!(edited.success, "{}", edited.text);
    assert_eq!(editor.text(&path).unwrap(), "just edited\n");
    assert_eq!(bench.read("a.txt"), "on the disk\n");
}

#[tokio::test]
async fn a_file_that_the_editor_does_not_have_is_that_of_the_disk() {
    let bench = Bench::new();
    bench.write("a.txt", "on the disk\n");
    let editor = Arc::new(Editor::default());
    let read = call(&bench, &editor, "read_file", json!({ "path": "a.txt" })).await;
    assert!(read.text.starts_with("on the disk\n"), "{}", read.text);
    let path = bench.workspace.join("new.txt");
    let write = json!({ "path": "new.txt", "content": "new\n" });
    assert!(call(&bench, &editor, "write_file", write).await.success);
    assert_eq!(editor.text(&path).unwrap(), "new\n");
}

#[tokio::test]
async fn what_the_editor_cannot_write_is_a_failure_with_its_reason() {
    let bench = Bench::new();
    let editor = Arc::new(Editor::default());
    let write = json!({ "path": "full.txt", "content": "x" });
    let output = call(&bench, &editor, "write_file", write).await;
    assert!(!output.success);
    assert!(output.text.contains("there is no room"), "{}", output.text);
}

#[tokio::test]
async fn a_patch_leaves_text_alone_that_is_not_saved() {
    let bench = Bench::new();
    bench.write("a.txt", "on the disk\n");
    let editor = Editor::with(bench.workspace.join("a.txt"), "just typed\n");
    let patch = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-on the disk\n+patched\n";
    let output = call(&bench, &editor, "apply_patch", json!({ "patch": patch })).await;
    assert!(output.text.contains("not saved"), "{}", output.text);
    assert_eq!(bench.read("a.txt"), "on the disk\n");
}
