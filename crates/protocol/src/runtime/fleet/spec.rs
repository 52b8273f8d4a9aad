//! What a fleet is asked to do.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What `fleet/create` takes. Nothing runs before `fleet/start`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FleetCreateParams {
    /// One line for people; the id of the workflow when left out.
    #[serde(default)]
    pub name: Option<String>,
    /// Where the workers run: `this_computer`.
    pub target: String,
    /// Who works, each with at least one task.
    pub roles: Vec<FleetRole>,
    /// The tasks.
    pub workflow: FleetWorkflowSpec,
    /// Words of one's own.
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
    /// Workers at once; as many as there are roles or tasks, whichever are fewer, when left out.
    #[serde(default)]
    pub max_workers: Option<u64>,
    /// Seconds without a sign of life after which a worker is given up; 300 when left out.
    #[serde(default)]
    pub stale_after_seconds: Option<u64>,
    /// The directory to work in; the server's own when left out.
    #[serde(default)]
    pub workspace: Option<String>,
    /// Workers elsewhere; there are none yet.
    #[serde(default)]
    pub worker_specs: Option<Vec<Value>>,
    /// The same, under its other name.
    #[serde(default)]
    pub workers: Option<Vec<Value>>,
    /// Rules for workers elsewhere; there are none yet.
    #[serde(default)]
    pub security_policy: Option<Value>,
}

/// Who works on some of the tasks.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FleetRole {
    /// Its name, one of a kind in the run.
    pub name: String,
    /// The profile that its workers have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_profile: Option<String>,
}

/// The tasks of a run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FleetWorkflowSpec {
    /// Its id.
    pub id: String,
    /// How the tasks follow each other: `parallel`.
    pub kind: String,
    /// The tasks.
    #[serde(alias = "task_specs")]
    pub tasks: Vec<FleetTaskSpec>,
}

/// One task.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FleetTaskSpec {
    /// Its id, one of a kind in the run.
    pub id: String,
    /// One line for people.
    pub name: String,
    /// What the worker is told to do.
    pub instructions: String,
    /// More about it, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub objective: Option<String>,
    /// Who does it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker: Option<FleetTaskWorker>,
    /// Where.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<FleetTaskWorkspace>,
    /// Files the worker is pointed to, relative to the workspace.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub input_files: Vec<String>,
    /// What else the worker is told: text, or anything that reads as JSON.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub context: Vec<Value>,
    /// What an attempt may use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<FleetBudget>,
    /// Words of one's own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Files that are kept with the receipt.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expected_artifacts: Vec<FleetExpectedArtifact>,
    /// How the work is judged; by the exit of the worker when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scorer: Option<FleetScorer>,
    /// How often it is tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_policy: Option<FleetRetryPolicy>,
    /// Whom to alert; kept, and not acted on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alert_policy: Option<Value>,
    /// How long an attempt may take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_seconds: Option<u64>,
    /// Words of one's own; `priority`, a number, sorts the tasks, lower first.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
}

impl FleetTaskSpec {
    /// Which tasks come first: the lower ones.
    pub fn priority(&self) -> i64 {
        let priority = self.metadata.get("priority").and_then(Value::as_i64);
        priority.unwrap_or(0)
    }

    /// The role that does it.
    pub fn role(&self) -> Option<&str> {
        self.worker.as_ref()?.role.as_deref()
    }

    /// What may be written, relative to the workspace; anything when it says nothing.
    pub fn writable_paths(&self) -> &[String] {
        let workspace = self.workspace.as_ref();
        workspace.map_or(&[], |workspace| &workspace.writable_paths)
    }
}

/// Who does a task.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct FleetTaskWorker {
    /// The profile; that of the role.
    #[serde(alias = "profile", skip_serializing_if = "Option::is_none")]
    pub agent_profile: Option<String>,
    /// The role.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// A word for a set of tools; kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loadout: Option<String>,
    /// A word for a kind of model; kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_class: Option<String>,
    /// The model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The provider.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// How hard it thinks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thinking: Option<String>,
    /// A word for a set of tools; kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_profile: Option<String>,
    /// The only tools it has; all when empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// Words of one's own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub capabilities: Vec<String>,
}

/// Where a task is done. All paths are relative.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct FleetTaskWorkspace {
    /// A directory in the workspace of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    /// Files without which the task does not begin.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub required_files: Vec<String>,
    /// What it may write. Those of different tasks do not overlap.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub writable_paths: Vec<String>,
    /// Variables.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub environment: Option<FleetTaskEnvironment>,
}

/// Variables of a worker.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct FleetTaskEnvironment {
    /// Those without which the task cannot be done.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub required: Vec<String>,
    /// Those it would like.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allowlist: Vec<String>,
}

/// What an attempt may use.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct FleetBudget {
    /// Tokens, in and out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// Calls of tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tool_calls: Option<u64>,
    /// Seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_seconds: Option<u64>,
}

/// A file that is kept with the receipt.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum FleetExpectedArtifact {
    /// A report at this path.
    Path(String),
    /// Of a certain kind.
    Named {
        /// The kind.
        kind: String,
        /// The path.
        path: String,
    },
}

impl FleetExpectedArtifact {
    /// The kind and the path.
    pub fn parts(&self) -> (&str, &str) {
        match self {
            FleetExpectedArtifact::Path(path) => ("report", path),
            FleetExpectedArtifact::Named { kind, path } => (kind, path),
        }
    }
}

/// How work is judged. Paths are relative to where it was done.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum FleetScorer {
    /// By the exit of the worker.
    #[default]
    ExitCode,
    /// A file is there.
    FileExists {
        /// Which.
        path: String,
    },
    /// A file has a text that fits.
    RegexMatch {
        /// Which.
        path: String,
        /// What fits.
        pattern: String,
    },
    /// A JSON file has something there.
    JsonPath {
        /// Which.
        path: String,
        /// Where, as `$.a.b[0]`; it must be there and neither null nor false.
        expression: String,
    },
    /// A command ends well, between walls.
    Command {
        /// The program.
        command: String,
        /// Its arguments.
        #[serde(default)]
        args: Vec<String>,
    },
    /// A model would judge; a person does.
    CodeWhaleVerifierPrompt {
        /// What it would be asked.
        prompt: String,
    },
    /// A person judges.
    Manual,
}

/// How often a task is tried when its worker, not its work, fails.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct FleetRetryPolicy {
    /// Attempts in all.
    pub max_attempts: u64,
    /// Seconds before the second.
    pub initial_backoff_seconds: u64,
    /// Seconds before any other at most.
    pub max_backoff_seconds: u64,
    /// By how much the wait grows.
    pub backoff_multiplier: f64,
}

impl Default for FleetRetryPolicy {
    fn default() -> Self {
        Self {
            max_attempts: 3,
            initial_backoff_seconds: 5,
            max_backoff_seconds: 300,
            backoff_multiplier: 2.0,
        }
    }
}

impl FleetRetryPolicy {
    /// How long to wait after so many attempts, in milliseconds.
    pub fn backoff_ms(&self, attempts: u64) -> u64 {
        let power = i32::try_from(attempts.saturating_sub(1)).unwrap_or(i32::MAX);
        let wait = self.initial_backoff_seconds as f64 * self.backoff_multiplier.powi(power);
        (wait.min(self.max_backoff_seconds as f64) * 1_000.0) as u64
    }
}

/// A place where tasks are done, one after the other.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FleetWorkerSpec {
    /// Its id: that of the run, and its own name.
    pub id: String,
    /// Its name in the run.
    pub name: String,
    /// Where it is.
    pub host: FleetHost,
    /// Words of one's own.
    pub labels: BTreeMap<String, String>,
    /// Words of one's own.
    pub capabilities: Vec<String>,
    /// Tasks at once.
    pub max_concurrent_tasks: u64,
}

/// Where a worker is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum FleetHost {
    /// Here.
    Local,
}

impl FleetHost {
    /// The word in inspections.
    pub fn as_str(self) -> &'static str {
        match self {
            FleetHost::Local => "local",
        }
    }
}
