//! What a report is made of: read once, from the configuration and the disk.

use std::fs;
use std::path::{Path, PathBuf};

use codewhale_config::{Config, Environment, KeyFile, Setting};
use codewhale_mcp_client::{Inspected, Settings, SettingsError, inspect};

use super::place::Place;
use super::route::RouteFacts;
use crate::{compose, mcp};

pub(super) struct Facts {
    pub(super) home: PathBuf,
    pub(super) home_writable: bool,
    pub(super) legacy_home: Option<PathBuf>,
    pub(super) config_path: PathBuf,
    pub(super) config_present: bool,
    pub(super) warnings: Vec<String>,
    pub(super) workspace: PathBuf,
    pub(super) route: RouteFacts,
    pub(super) allow_shell: bool,
    pub(super) approval_policy: String,
    pub(super) sandbox_mode: String,
    pub(super) memory_enabled: bool,
    pub(super) memory_file: PathBuf,
    pub(super) mcp: McpFacts,
    pub(super) skills: SkillFacts,
    pub(super) tools: Place,
    pub(super) plugins: Place,
    pub(super) sandbox: Option<&'static str>,
    pub(super) sandbox_missing: Vec<String>,
    pub(super) spillover: Place,
    pub(super) stash: Place,
    pub(super) store: PathBuf,
    pub(super) keys: PathBuf,
}

pub(super) struct McpFacts {
    pub(super) file: PathBuf,
    pub(super) present: bool,
    pub(super) servers: Result<Vec<Inspected>, SettingsError>,
    pub(super) project_file: PathBuf,
}

pub(super) struct SkillFacts {
    pub(super) selected: PathBuf,
    pub(super) global: Place,
    pub(super) agents: Place,
    pub(super) agents_global: Option<Place>,
    pub(super) local: Place,
    pub(super) opencode: Place,
    pub(super) claude: Place,
}

impl Facts {
    pub(super) fn gather(config: &Config, environment: &Environment, workspace: PathBuf) -> Self {
        let home = config.home.value.clone();
        let config_path = config.path();
        let word = |setting: &Option<Setting<String>>, default: &str| {
            let value = setting.as_ref().map(|it| it.value.as_str());
            value.unwrap_or(default).to_owned()
        };
        let permissions = &config.permissions;
        let support = codewhale_sandbox::probe();
        Self {
            home_writable: is_writable(&home),
            legacy_home: config.legacy_home.clone().filter(|it| it.exists()),
            config_present: config_path.is_file(),
            config_path,
            warnings: config.warnings.iter().map(ToString::to_string).collect(),
            route: RouteFacts::gather(config),
            allow_shell: config.allow_shell.value,
            approval_policy: word(&permissions.approval_policy, "on-request"),
            sandbox_mode: word(&permissions.sandbox_mode, "workspace-write"),
            memory_enabled: config.memory.value,
            memory_file: home.join("memory/global/MEMORY.md"),
            mcp: McpFacts::gather(config, &workspace),
            skills: SkillFacts::gather(config, environment, &workspace),
            tools: Place::directory(home.join("tools")),
            plugins: Place::directory(home.join("plugins")),
            sandbox: compose::sandbox_kind(),
            sandbox_missing: support.missing.clone(),
            spillover: Place::directory(home.join("tool_outputs")),
            stash: Place::drafts(home.join("composer_stash.jsonl")),
            store: home.join("runtime.db"),
            keys: KeyFile::of(&home).path().to_owned(),
            workspace,
            home,
        }
    }
}

impl McpFacts {
    fn gather(config: &Config, workspace: &Path) -> Self {
        let file = mcp::file_of(config);
        let text = fs::read_to_string(&file);
        Self {
            present: file.is_file(),
            servers: inspect(text.as_deref().unwrap_or_default()),
            project_file: Settings::workspace_file(workspace),
            file,
        }
    }
}

impl SkillFacts {
    /// What a workspace brings is counted and not used: that takes trust.
    fn gather(config: &Config, environment: &Environment, workspace: &Path) -> Self {
        let real = workspace.canonicalize().ok();
        let ours = |place: &str| Place::skills(workspace.join(place), real.as_deref());
        let person = environment.get("HOME").map(PathBuf::from);
        let of_person = person.map(|it| Place::skills(it.join(".agents/skills"), None));
        let facts = Self {
            selected: PathBuf::new(),
            global: Place::skills(config.home.value.join("skills"), None),
            agents: ours(".agents/skills"),
            agents_global: of_person,
            local: ours("skills"),
            opencode: ours(".opencode/skills"),
            claude: ours(".claude/skills"),
        };
        let named = config.skills_dir.as_ref();
        let own = facts.agents_global.as_ref();
        let selected = if facts.agents.present {
            facts.agents.path.clone()
        } else if facts.local.present {
            facts.local.path.clone()
        } else if let Some(named) = named {
            PathBuf::from(&named.value)
        } else if let Some(own) = own.filter(|it| it.present) {
            own.path.clone()
        } else {
            facts.global.path.clone()
        };
        Self { selected, ..facts }
    }
}

/// Whether a directory can be written, or be made where it is not there yet.
fn is_writable(directory: &Path) -> bool {
    let there = directory.ancestors().find(|it| it.exists());
    there.is_some_and(|it| {
        it.is_dir() && rustix::fs::access(it, rustix::fs::Access::WRITE_OK).is_ok()
    })
}
