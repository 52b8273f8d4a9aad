//! A workspace to try tools in.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use serde_json::Value;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use crate::roots::Roots;
use crate::{Context, Output, Prepared, Registry, Results};

/// A workspace and a directory beside it.
pub(crate) struct Bench {
    pub(crate) workspace: PathBuf,
    pub(crate) outside: PathBuf,
    pub(crate) cancel: CancellationToken,
    _directory: TempDir,
}

impl Bench {
    pub(crate) fn new() -> Self {
        let directory = TempDir::new().expect("a temporary directory");
        let root = directory.path().canonicalize().expect("it exists");
        let (workspace, outside) = (root.join("workspace"), root.join("outside"));
        fs::create_dir(&workspace).expect("a new directory");
        fs::create_dir(&outside).expect("a new directory");
        Self {
            workspace,
            outside,
            cancel: CancellationToken::new(),
            _directory: directory,
        }
    }

    pub(crate) fn roots(&self) -> Roots {
        Roots::from(&*self.workspace)
    }

    pub(crate) fn context(&self) -> Context {
        let environment = [("PATH", "/usr/bin:/bin"), ("GREETING", "hello")];
        let environment = environment.map(|(name, value)| (name.into(), value.into()));
        Context::new(&self.workspace, environment.into(), self.cancel.clone())
    }

    /// Puts a file into the workspace, or anywhere when the path is absolute.
    pub(crate) fn write(&self, path: impl AsRef<Path>, content: impl AsRef<[u8]>) {
        let path = self.workspace.join(path);
        fs::create_dir_all(path.parent().expect("a file has a parent")).expect("it can be made");
        fs::write(path, content).expect("it can be written");
    }

    pub(crate) fn read(&self, path: impl AsRef<Path>) -> String {
        fs::read_to_string(self.workspace.join(path)).expect("the file is there")
    }

    pub(crate) async fn prepare(&self, tool: &str, input: Value) -> Result<Prepared, Output> {
        let registry = Registry::builtin();
        let tool = registry.get(tool).expect("the tool exists");
        tool.prepare(input, &self.context()).await
    }

    /// Prepares a call and runs it, as the engine does when nobody objects.
    pub(crate) async fn call(&self, tool: &str, input: Value) -> Output {
        match self.prepare(tool, input).await {
            Ok(prepared) => prepared.run(self.context()).await,
            Err(output) => output,
        }
    }
}

/// Keeps results in memory.
#[derive(Default)]
pub(crate) struct Shelf(Mutex<Vec<String>>);

impl Results for Shelf {
    fn keep(&self, text: &str) -> Option<String> {
        let mut texts = self.0.lock().expect("nothing panics while it holds them");
        texts.push(text.to_owned());
        Some(format!("result-{}", texts.len()))
    }

    fn read(&self, reference: &str) -> Option<String> {
        let number: usize = reference.strip_prefix("result-")?.parse().ok()?;
        let texts = self.0.lock().expect("nothing panics while it holds them");
        texts.get(number.checked_sub(1)?).cloned()
    }
}
