//! The command line of `exec`.

use std::path::PathBuf;

use clap::{ArgGroup, ValueEnum};

use super::authority::Authority;
use crate::args::Again;

/// What is to be done, and how.
#[derive(clap::Args)]
#[command(group(ArgGroup::new("session").args(["resume", "session_id", "continue_newest"])))]
pub(crate) struct Exec {
    /// What the agent is to do; `-` reads it from standard input.
    #[arg(value_name = "PROMPT", conflicts_with = "prompt_file")]
    pub(super) prompt: Vec<String>,
    /// Read the prompt from a file.
    #[arg(long, value_name = "FILE")]
    pub(super) prompt_file: Option<PathBuf>,
    /// Show the model a picture or a sound with the first prompt. Can be given several times.
    #[arg(long, visible_alias = "image", value_name = "FILE")]
    pub(super) attach: Vec<PathBuf>,
    /// Let it work in a directory besides its workspace. Can be given several times.
    #[arg(long, value_name = "DIR")]
    pub(super) add_dir: Vec<PathBuf>,
    /// Answer every approval with yes. The sandbox stays as it is.
    #[arg(long)]
    pub(super) auto: bool,
    /// How commands are confined.
    #[arg(long, value_name = "POLICY", value_parser = SANDBOXES)]
    pub(super) sandbox: Option<String>,
    /// With --auto, also let a command leave the sandbox when it asks to.
    #[arg(long)]
    pub(super) allow_sandbox_elevation: bool,
    /// How hard the model thinks.
    #[arg(long, value_name = "EFFORT", value_parser = EFFORTS)]
    pub(super) reasoning_effort: Option<String>,
    /// Print one JSON summary at the end.
    #[arg(long, conflicts_with = "output_format")]
    pub(super) json: bool,
    /// What is printed meanwhile.
    #[arg(long, value_name = "FORMAT")]
    pub(super) output_format: Option<OutputFormat>,
    /// What standard input is: the prompt, or lines of JSON that prompt, answer and interrupt.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(super) input_format: InputFormat,
    /// Continue a session, by its id or the beginning of it.
    #[arg(long, value_name = "ID")]
    pub(super) resume: Option<String>,
    /// The same as --resume.
    #[arg(long, value_name = "ID")]
    pub(super) session_id: Option<String>,
    /// Continue the newest session of this workspace.
    #[arg(long = "continue")]
    pub(super) continue_newest: bool,
    /// The only tools there are.
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub(super) allowed_tools: Option<Vec<String>>,
    /// Tools there are not, whatever else is said.
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub(super) disallowed_tools: Vec<String>,
    /// How often the model may be called.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) max_turns: Option<u32>,
    /// Instructions beside the standing ones.
    #[arg(long, value_name = "TEXT")]
    pub(super) append_system_prompt: Option<String>,
    /// The JSON Schema that the final answer must fit.
    #[arg(long, value_name = "FILE")]
    pub(super) output_schema: Option<PathBuf>,
    /// The bounds of a fleet worker.
    #[arg(long, value_name = "JSON", hide = true, conflicts_with = "session", value_parser = Authority::read)]
    pub(super) tool_authority_json: Option<Authority>,
    #[command(flatten)]
    pub(super) again: Again,
}

const SANDBOXES: [&str; 4] = [
    "read-only",
    "workspace-write",
    "danger-full-access",
    "external-sandbox",
];

const EFFORTS: [&str; 6] = ["auto", "off", "low", "medium", "high", "max"];

/// What is printed while the agent works.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(super) enum OutputFormat {
    /// What it says, as it says it.
    Text,
    /// One JSON object per line for everything that happens.
    StreamJson,
}

/// What standard input is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(super) enum InputFormat {
    /// The prompt.
    Text,
    /// Lines of JSON.
    StreamJson,
}

impl Exec {
    /// The session to continue, as it was named.
    pub(super) fn session(&self) -> Option<&str> {
        self.resume.as_deref().or(self.session_id.as_deref())
    }
}
