//! The order: what the command line asks for, as plain values.

use std::path::Path;

use anyhow::Context;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use codewhale_protocol::Surface;
use codewhale_protocol::runtime::{ATTACHMENT_BYTES_MAX, Bounds, TurnOverrides, Unattachable};

use super::args::{Exec, InputFormat};
use super::authority::Authority;
use super::receipt::Posture;
use super::schema::Schema;

/// Which session is wanted.
pub(super) enum Wanted {
    New,
    /// This one, or the one whose id begins so.
    Named(String),
    /// The newest of the workspace.
    Newest,
}

/// What is to be done, and how.
pub(super) struct Order {
    pub(super) wanted: Wanted,
    /// The directory, by its one spelling.
    pub(super) workspace: String,
    /// Whether the command line named it.
    pub(super) names_workspace: bool,
    pub(super) provider: Option<String>,
    pub(super) model: Option<String>,
    pub(super) auto: bool,
    /// Whether a command may leave its walls when approvals are answered with yes.
    pub(super) may_leave_walls: bool,
    /// Whether someone at the other end of standard input answers questions.
    pub(super) is_attended: bool,
    pub(super) authority: Option<Authority>,
    /// What the final answer must look like.
    pub(super) schema: Option<Schema>,
    /// Directories to work in besides the workspace, each by its one spelling.
    pub(super) added: Vec<String>,
    /// What goes with the first prompt, in base64.
    pub(super) attached: Vec<String>,
    sandbox: Option<String>,
    effort: Option<String>,
    instructions: Option<String>,
    bounds: Bounds,
}

/// Tools that ask a person, who is not there.
const ASKING: &str = "request_user_input";

/// What models call the shell.
const SHELL: &str = "bash";

impl Order {
    pub(super) fn new(
        exec: Exec,
        (workspace, names_workspace): (&Path, bool),
        (provider, model): (Option<String>, Option<String>),
        surface: Option<&str>,
    ) -> anyhow::Result<Self> {
        let workspace = real(workspace)?;
        let added = exec.add_dir.iter().map(|path| real(path));
        let added = added.collect::<anyhow::Result<_>>()?;
        let wanted = match (exec.session(), exec.continue_newest) {
            (Some(name), _) => Wanted::Named(name.to_owned()),
            (None, true) => Wanted::Newest,
            (None, false) => Wanted::New,
        };
        let schema = exec.output_schema.as_deref().map(Schema::open);
        let schema = schema.transpose()?;
        let attached = exec.attach.iter().map(|path| attached(path));
        let attached = attached.collect::<anyhow::Result<_>>()?;
        let full = exec.sandbox.as_deref() == Some("danger-full-access");
        let mut disallowed_tools = exec.disallowed_tools;
        disallowed_tools.push(ASKING.to_owned());
        let shell_only = is_shell_only(surface);
        let own = Bounds {
            allowed_tools: exec.allowed_tools,
            disallowed_tools,
            max_steps: exec.max_turns,
            ..Bounds::default()
        };
        let surface = Bounds {
            allowed_tools: shell_only.then(|| vec![SHELL.to_owned()]),
            ..Bounds::default()
        };
        Ok(Self {
            wanted,
            workspace,
            names_workspace,
            provider,
            model,
            auto: exec.auto,
            may_leave_walls: exec.allow_sandbox_elevation || full,
            is_attended: exec.input_format == InputFormat::StreamJson,
            authority: exec.tool_authority_json,
            instructions: instructions(exec.append_system_prompt, schema.as_ref()),
            schema,
            added,
            attached,
            sandbox: exec.sandbox,
            effort: exec.reasoning_effort,
            bounds: own.within(&surface),
        })
    }

    /// Through which door it comes.
    pub(super) fn surface(&self) -> Surface {
        match self.authority {
            Some(_) => Surface::Fleet,
            None => Surface::Cli,
        }
    }

    /// What its turns do differently from the thread.
    pub(super) fn overrides(&self, resumed: bool) -> TurnOverrides {
        // A new thread has them already; on one that goes on they count for this run.
        let route = |word: &Option<String>| word.clone().filter(|_| resumed);
        TurnOverrides {
            model: route(&self.model),
            model_provider: route(&self.provider),
            reasoning_effort: self.effort.clone(),
            sandbox_mode: self.sandbox.clone(),
            append_system_prompt: self.instructions.clone(),
            bounds: Some(self.bounds.clone()),
            ..TurnOverrides::default()
        }
    }

    pub(super) fn posture(&self) -> Posture {
        Posture {
            auto: self.auto,
            sandbox: self.sandbox.clone(),
            auto_model: self.model.as_deref() == Some("auto"),
        }
    }
}

/// What the agent is told beside its standing instructions.
fn instructions(own: Option<String>, schema: Option<&Schema>) -> Option<String> {
    let form = schema.map(|schema| {
        format!(
            "Your final answer must be one JSON value that fits this JSON Schema, and nothing else:\n{schema}"
        )
    });
    let parts: Vec<String> = own.into_iter().chain(form).collect();
    (!parts.is_empty()).then(|| parts.join("\n\n"))
}

/// The one spelling of a directory.
fn real(directory: &Path) -> anyhow::Result<String> {
    let real = directory.canonicalize();
    let real = real.with_context(|| format!("cannot work in {}", directory.display()))?;
    let real = real.into_os_string().into_string();
    real.map_err(|path| anyhow::anyhow!("the path {} is not text", path.display()))
}

/// A picture or a sound, read from a file. Whether it is one is for the runtime to say.
fn attached(path: &Path) -> anyhow::Result<String> {
    let shown = path.display();
    let size = path.metadata().map(|it| it.len());
    let size = size.with_context(|| format!("cannot attach {shown}"))?;
    if size > ATTACHMENT_BYTES_MAX as u64 {
        let problem = Unattachable::TooLarge;
        anyhow::bail!("cannot attach {shown}: {problem}");
    }
    let bytes = std::fs::read(path).with_context(|| format!("cannot attach {shown}"))?;
    Ok(BASE64_STANDARD.encode(bytes))
}

/// Whether a variable leaves the agent the shell alone.
fn is_shell_only(surface: Option<&str>) -> bool {
    match surface.map(str::trim) {
        Some("shell-only") => true,
        None | Some("" | "full" | "native-tools") => false,
        Some(other) => {
            eprintln!(
                "warning: CODEWHALE_TOOL_SURFACE is {other:?}, which is neither full nor shell-only; all tools stay"
            );
            false
        }
    }
}
