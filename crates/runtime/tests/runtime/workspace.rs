//! A real directory to work in, with snapshots of it, and an agent that writes what it is told.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use codewhale_policy::Demand;
use codewhale_protocol::ErrorBody;
use codewhale_protocol::operations::{
    Operation, SnapshotsList, SnapshotsRestore, ThreadsList, ThreadsRetry, ThreadsUndo,
};
use codewhale_protocol::runtime::{
    ItemKind, Retried, SnapshotRestored, SnapshotSummary, ThreadId, ThreadRecord, TurnRecord,
    Undone,
};
use codewhale_protocol::service::BoxFuture;
use codewhale_runtime::{BeforeStep, SnapshotSettings};
use codewhale_snapshots::{Bounds, Settings};
use codewhale_store::{Place, Store, Writing};
use codewhale_tools::{Context, Output, Prepared, Preview, Registry, Spec, Tool};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::model::call;
use crate::world::{World, open};

/// What lies in a workspace.
pub(crate) type Files = BTreeMap<String, String>;

pub(crate) struct Lab {
    directory: TempDir,
    pub(crate) root: PathBuf,
}

impl Lab {
    pub(crate) fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap().join("work");
        fs::create_dir(&root).unwrap();
        Self { directory, root }
    }

    pub(crate) fn store(&self) -> Store {
        let home = self.directory.path().join("home");
        fs::create_dir_all(&home).unwrap();
        open(Place::Home(home), Writing::Inline)
    }

    pub(crate) fn snapshots(&self, before_step: BeforeStep) -> SnapshotSettings {
        let path = "/usr/local/bin:/usr/bin:/bin";
        let base = self.root.parent().unwrap();
        SnapshotSettings {
            enabled: true,
            sides: Settings {
                directory: base.join("home/snapshots"),
                no_projects: Vec::new(),
                environment: vec![("PATH".to_owned(), path.to_owned())],
                bounds: Bounds::default(),
            },
            before_step,
        }
    }

    /// A process at work here.
    pub(crate) async fn process(&self, before_step: BeforeStep) -> Process {
        self.process_with(Some(self.snapshots(before_step))).await
    }

    pub(crate) async fn process_with(&self, snapshots: Option<SnapshotSettings>) -> Process {
        let fit = |options: &mut codewhale_runtime::Options| {
            options.workspace = self.root.to_str().unwrap().to_owned();
            options.tools = Registry::new([Arc::new(Put::new()) as Arc<dyn Tool>]);
            options.snapshots = snapshots;
        };
        Process {
            world: World::fitted(self.store(), fit).await,
        }
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        put(&self.root, name, Some(text));
    }

    pub(crate) fn read(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.root.join(name)).ok()
    }

    /// Everything that lies here.
    pub(crate) fn files(&self) -> Files {
        let mut all = Files::new();
        collect(&self.root, &self.root, &mut all);
        all
    }
}

fn collect(root: &Path, directory: &Path, all: &mut Files) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(root, &path, all);
            continue;
        }
        let name = path.strip_prefix(root).unwrap().to_str().unwrap();
        all.insert(name.to_owned(), fs::read_to_string(&path).unwrap());
    }
}

/// A runtime at work in the directory.
pub(crate) struct Process {
    pub(crate) world: World,
}

impl Process {
    pub(crate) async fn thread(&self) -> ThreadId {
        self.world.thread(json!({ "auto_approve": true })).await
    }

    /// A turn in which the agent writes these files; without a text it removes them.
    pub(crate) async fn turn(
        &self,
        thread: &ThreadId,
        prompt: &str,
        files: &[(&str, Option<&str>)],
    ) -> TurnRecord {
        for (index, (path, text)) in files.iter().enumerate() {
            let input = json!({ "path": path, "text": text });
            let id = format!("call_{index}");
            self.world.model.then(vec![call(&id, "put", &input)]);
        }
        self.world.turn(thread, prompt).await
    }

    pub(crate) async fn undo(&self, thread: &ThreadId, more: Value) -> Result<Undone, ErrorBody> {
        self.ask::<ThreadsUndo>(thread, more).await
    }

    pub(crate) async fn retry(&self, thread: &ThreadId, more: Value) -> Result<Retried, ErrorBody> {
        self.ask::<ThreadsRetry>(thread, more).await
    }

    async fn ask<O: Operation>(
        &self,
        thread: &ThreadId,
        mut params: Value,
    ) -> Result<O::Output, ErrorBody> {
        params["thread_id"] = json!(thread);
        self.world.call::<O>(params).await
    }

    pub(crate) async fn restore(&self, snapshot: &str) -> Result<SnapshotRestored, ErrorBody> {
        let params = json!({ "snapshot_id": snapshot });
        self.world.call::<SnapshotsRestore>(params).await
    }

    pub(crate) async fn list(&self) -> Vec<SnapshotSummary> {
        let params = json!({ "limit": 100 });
        self.world.call::<SnapshotsList>(params).await.unwrap()
    }

    pub(crate) async fn threads(&self) -> Vec<ThreadRecord> {
        let all = json!({ "limit": 500 });
        self.world.call::<ThreadsList>(all).await.unwrap()
    }

    /// What people asked in a thread, in order.
    pub(crate) async fn asked(&self, thread: &ThreadId) -> Vec<String> {
        let detail = self.world.detail(thread).await;
        let said = detail.items.into_iter();
        let said = said.filter(|item| item.kind == ItemKind::UserMessage);
        said.filter_map(|item| item.detail).collect()
    }
}

/// A tool that writes or removes a file.
struct Put(Spec);

impl Put {
    fn new() -> Self {
        let demand = Demand::write("/file".into(), true);
        Self(Spec {
            name: "put".into(),
            aliases: &[],
            description: "put".into(),
            input_schema: json!({ "type": "object" }).into(),
            act: Demand::act(&demand),
            kind: ItemKind::FileChange,
        })
    }
}

impl Tool for Put {
    fn spec(&self) -> &Spec {
        &self.0
    }

    fn prepare<'a>(
        &'a self,
        input: Value,
        context: &'a Context,
    ) -> BoxFuture<'a, Result<Prepared, Output>> {
        Box::pin(async move {
            let path = context.workspace.join(input["path"].as_str().unwrap());
            let demand = Demand::write(path, true);
            let job = |input: Value, context: Context| async move {
                let path = input["path"].as_str().unwrap();
                put(&context.workspace, path, input["text"].as_str());
                Output::success("done")
            };
            Ok(Prepared::new(demand, "put", input, Preview::default(), job))
        })
    }
}

fn put(root: &Path, name: &str, text: Option<&str>) {
    let path = root.join(name);
    match text {
        Some(text) => {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        None => {
            let _ = fs::remove_file(path);
        }
    }
}
