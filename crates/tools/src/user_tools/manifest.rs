//! What a user says about a tool.

use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::limits::{MANIFEST_BYTES_MAX, TOOL_NAME_BYTES_MAX};

/// A manifest as it is written.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct Manifest {
    pub(super) name: String,
    pub(super) description: String,
    #[serde(default = "any_object")]
    pub(super) input_schema: Value,
    pub(super) effect: Effect,
    /// Relative to the directory of the manifest. Default: the manifest's name without `.json`.
    executable: Option<String>,
    #[serde(default)]
    pub(super) arguments: Vec<String>,
    pub(super) timeout_ms: Option<u64>,
}

/// What the program says it does. A person sees it when asked; the law does not believe it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Effect {
    Read,
    Write,
    Execute,
}

impl Effect {
    pub(super) fn claim(self) -> &'static str {
        match self {
            Self::Read => "that it only reads",
            Self::Write => "that it changes files",
            Self::Execute => "that it runs commands",
        }
    }
}

fn any_object() -> Value {
    json!({ "type": "object" })
}

impl Manifest {
    pub(super) fn read(path: &Path) -> Result<Self, String> {
        let text = text_of(path)?;
        let manifest: Self = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        manifest.check()?;
        Ok(manifest)
    }

    fn check(&self) -> Result<(), String> {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        let is_name = !self.name.is_empty() && self.name.chars().all(plain);
        let problem = if !is_name || self.name.len() > TOOL_NAME_BYTES_MAX {
            "`name` must be letters, digits, `_` and `-`, at most 64 of them"
        } else if self.description.trim().is_empty() {
            "`description` is empty; the model reads it"
        } else if self.input_schema["type"] != "object" {
            "`input_schema` must be a JSON schema with \"type\": \"object\""
        } else if self
            .arguments
            .iter()
            .any(|argument| argument.contains('\0'))
        {
            "`arguments` contains a NUL character"
        } else {
            return Ok(());
        };
        Err(problem.to_owned())
    }

    /// The program, links followed.
    pub(super) fn program(&self, manifest: &Path) -> Result<PathBuf, String> {
        let directory = manifest.parent().unwrap_or(Path::new("."));
        let stem = manifest.file_stem().unwrap_or_default();
        let given = self
            .executable
            .as_deref()
            .map_or(Path::new(stem), Path::new);
        let is_plain =
            |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
        if !given.components().all(is_plain) {
            return Err("`executable` must be a path below the directory of tools".to_owned());
        }
        let path = directory.join(given);
        let failed = |error| format!("its program {} cannot be used: {error}", path.display());
        let program = path.canonicalize().map_err(failed)?;
        let found = fs::metadata(&program).map_err(failed)?;
        if !found.is_file() || found.permissions().mode() & 0o111 == 0 {
            return Err(format!(
                "{} is not an executable file; use chmod +x",
                path.display()
            ));
        }
        match program.to_str() {
            Some(_) => Ok(program),
            None => Err("the path of its program is not UTF-8".to_owned()),
        }
    }
}

fn text_of(path: &Path) -> Result<String, String> {
    let failed = |error: std::io::Error| format!("it cannot be read: {error}");
    let is_file = fs::metadata(path).map_err(failed)?.is_file();
    if !is_file {
        return Err("it is not a file".to_owned());
    }
    let file = fs::File::open(path).map_err(failed)?;
    let mut text = String::new();
    file.take(MANIFEST_BYTES_MAX + 1)
        .read_to_string(&mut text)
        .map_err(failed)?;
    match text.len() as u64 > MANIFEST_BYTES_MAX {
        true => Err(format!("it is longer than {MANIFEST_BYTES_MAX} bytes")),
        false => Ok(text),
    }
}
