//! The tools by name.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::agent::Agent;
use crate::apply_patch::ApplyPatch;
use crate::edit_file::EditFile;
use crate::exec_shell::ExecShell;
use crate::fetch_url::{FetchUrl, Reach};
use crate::file_search::FileSearch;
use crate::git::{GitBlame, GitDiff, GitLog, GitShow, GitStatus};
use crate::goals::{CreateGoal, GetGoal, UpdateGoal};
use crate::grep_files::GrepFiles;
use crate::list_dir::ListDir;
use crate::load_skill::LoadSkill;
use crate::memory_get::MemoryGet;
use crate::memory_search::MemorySearch;
use crate::read_file::ReadFile;
use crate::remember::Remember;
use crate::request_user_input::RequestUserInput;
use crate::retrieve_tool_result::RetrieveToolResult;
use crate::todo_write::TodoWrite;
use crate::typed::Adapter;
use crate::write_file::WriteFile;
use crate::{Names, Spec, Tool};

/// A set of tools, found by their exact names or aliases. A name that is almost right finds
/// nothing: guessing would run something that nobody asked for.
#[derive(Clone)]
pub struct Registry {
    tools: BTreeMap<Cow<'static, str>, Arc<dyn Tool>>,
    aliases: BTreeMap<&'static str, Cow<'static, str>>,
}

impl Registry {
    /// The tools that come with the product.
    pub fn builtin() -> Self {
        Self::builtin_reaching(Reach::Public)
    }

    /// The same, with a network that ends elsewhere.
    pub fn builtin_reaching(reach: Reach) -> Self {
        Self::new([
            Arc::new(Adapter::<Agent>::new()) as Arc<dyn Tool>,
            Arc::new(Adapter::<ApplyPatch>::new()),
            Arc::new(Adapter::<CreateGoal>::new()),
            Arc::new(Adapter::<EditFile>::new()),
            Arc::new(Adapter::<ExecShell>::new()),
            Arc::new(FetchUrl::with_reach(reach)),
            Arc::new(Adapter::<FileSearch>::new()),
            Arc::new(Adapter::<GetGoal>::new()),
            Arc::new(Adapter::<GitBlame>::new()),
            Arc::new(Adapter::<GitDiff>::new()),
            Arc::new(Adapter::<GitLog>::new()),
            Arc::new(Adapter::<GitShow>::new()),
            Arc::new(Adapter::<GitStatus>::new()),
            Arc::new(Adapter::<GrepFiles>::new()),
            Arc::new(Adapter::<ListDir>::new()),
            Arc::new(Adapter::<LoadSkill>::new()),
            Arc::new(Adapter::<MemoryGet>::new()),
            Arc::new(Adapter::<MemorySearch>::new()),
            Arc::new(Adapter::<ReadFile>::new()),
            Arc::new(Adapter::<Remember>::new()),
            Arc::new(Adapter::<RequestUserInput>::new()),
            Arc::new(Adapter::<RetrieveToolResult>::new()),
            Arc::new(Adapter::<TodoWrite>::new()),
            Arc::new(Adapter::<UpdateGoal>::new()),
            Arc::new(Adapter::<WriteFile>::new()),
        ])
    }

    /// These tools.
    ///
    /// # Panics
    ///
    /// When two of them share a name: which one would run?
    pub fn new(tools: impl IntoIterator<Item = Arc<dyn Tool>>) -> Self {
        let mut registry = Self {
            tools: BTreeMap::new(),
            aliases: BTreeMap::new(),
        };
        for tool in tools {
            if let Err(name) = registry.add(tool) {
                panic!("two tools are called {name}");
            }
        }
        registry
    }

    /// These but those of the given names.
    #[must_use]
    pub fn without(mut self, names: &[&str]) -> Self {
        self.tools.retain(|name, _| !names.contains(&&**name));
        self.aliases.retain(|_, name| !names.contains(&&**name));
        self
    }

    /// Those of these that are wanted, by what they say about themselves.
    #[must_use]
    pub fn only(mut self, is_wanted: impl Fn(&Spec) -> bool) -> Self {
        self.tools.retain(|_, tool| is_wanted(tool.spec()));
        let tools = &self.tools;
        self.aliases.retain(|_, name| tools.contains_key(name));
        self
    }

    /// These and more, which are known only at run time. One that shares a name with another is
    /// left out, whoever comes first stays; the names of those left out come second.
    pub fn with(mut self, extra: impl IntoIterator<Item = Arc<dyn Tool>>) -> (Self, Vec<String>) {
        let added = extra.into_iter().map(|tool| self.add(tool));
        let taken = added.filter_map(Result::err).collect();
        (self, taken)
    }

    /// Adds a tool, or answers with the name that another one has already.
    fn add(&mut self, tool: Arc<dyn Tool>) -> Result<(), String> {
        let Names { name, aliases } = tool.names();
        for name in aliases.iter().copied().chain([&*name]) {
            if self.get(name).is_some() {
                return Err(name.to_owned());
            }
        }
        let aliases = aliases.iter().map(|alias| (*alias, name.clone()));
        self.aliases.extend(aliases);
        self.tools.insert(name, tool);
        Ok(())
    }

    /// The tool of this name or alias.
    pub fn get(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        let name = self.aliases.get(name).map_or(name, |name| &**name);
        self.tools.get(name)
    }

    /// What the tools say about themselves, ordered by name so that a prompt does not change
    /// from turn to turn.
    pub fn specs(&self) -> impl Iterator<Item = &Spec> {
        self.tools.values().map(|tool| tool.spec())
    }

    /// The names of the tools in the same order, without aliases.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.tools.keys().map(|name| &**name)
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Registry").field(&self.tools.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use codewhale_policy::Act;
    use codewhale_protocol::runtime::ItemKind;
    use serde_json::json;

    use super::*;
    use crate::limits::*;

    #[test]
    fn the_builtin_tools_come_in_the_order_of_their_names() {
        let registry = Registry::builtin();
        let facts: Vec<_> = registry
            .specs()
            .map(|spec| (&*spec.name, spec.act, spec.kind))
            .collect();
        let expected = [
            ("agent", Act::Inward, ItemKind::ToolCall),
            ("apply_patch", Act::Write, ItemKind::FileChange),
            ("create_goal", Act::Inward, ItemKind::ToolCall),
            ("edit_file", Act::Write, ItemKind::FileChange),
            ("exec_shell", Act::Execute, ItemKind::CommandExecution),
            ("fetch_url", Act::Fetch, ItemKind::ToolCall),
            ("file_search", Act::Read, ItemKind::ToolCall),
            ("get_goal", Act::Inward, ItemKind::ToolCall),
            ("git_blame", Act::Read, ItemKind::ToolCall),
            ("git_diff", Act::Read, ItemKind::ToolCall),
            ("git_log", Act::Read, ItemKind::ToolCall),
            ("git_show", Act::Read, ItemKind::ToolCall),
            ("git_status", Act::Read, ItemKind::ToolCall),
            ("grep_files", Act::Read, ItemKind::ToolCall),
            ("list_dir", Act::Read, ItemKind::ToolCall),
            ("load_skill", Act::Inward, ItemKind::ToolCall),
            ("memory_get", Act::Inward, ItemKind::ToolCall),
            ("memory_search", Act::Inward, ItemKind::ToolCall),
            ("read_file", Act::Read, ItemKind::ToolCall),
            ("remember", Act::Write, ItemKind::ToolCall),
            ("request_user_input", Act::Inward, ItemKind::ToolCall),
            ("retrieve_tool_result", Act::Inward, ItemKind::ToolCall),
            ("todo_write", Act::Inward, ItemKind::ToolCall),
            ("update_goal", Act::Inward, ItemKind::ToolCall),
            ("write_file", Act::Write, ItemKind::FileChange),
        ];
        assert_eq!(facts, expected);
        assert!(registry.names().eq(expected.map(|(name, ..)| name)));
    }

    #[test]
    fn a_tool_is_found_by_its_name_and_aliases_and_nothing_else() {
        let registry = Registry::builtin();
        let found = |name| registry.get(name).map(|tool| &*tool.spec().name);
        for (name, tool) in [
            ("read_file", Some("read_file")),
            ("read", Some("read_file")),
            ("write", Some("write_file")),
            ("bash", Some("exec_shell")),
            ("edit", Some("edit_file")),
            ("readfile", None),
            ("Read_File", None),
            ("read_file ", None),
            ("", None),
        ] {
            assert_eq!(found(name), tool, "{name:?}");
        }
    }

    #[test]
    #[should_panic(expected = "two tools are called read")]
    fn two_tools_cannot_share_a_name() {
        let reader = || Arc::new(Adapter::<ReadFile>::new()) as Arc<dyn Tool>;
        Registry::new([reader(), reader()]);
    }

    #[test]
    fn what_the_model_is_told_about_limits_is_true() {
        let registry = Registry::builtin();
        let told = |name: &str| {
            let spec = registry.get(name).expect("the tool exists").spec();
            format!("{} {}", spec.description, spec.input_schema).replace(',', "")
        };
        for (tool, limit) in [
            (
                "exec_shell",
                codewhale_sandbox::OUTPUT_BYTES_MAX.to_string(),
            ),
            (
                "exec_shell",
                codewhale_sandbox::WALL_TIME.as_millis().to_string(),
            ),
            ("exec_shell", TIMEOUT_MS_MIN.to_string()),
            ("exec_shell", TIMEOUT_MS_MAX.to_string()),
            ("fetch_url", FETCH_BYTES_DEFAULT.to_string()),
            ("fetch_url", FETCH_BYTES_MAX.to_string()),
            ("fetch_url", FETCH_TIME_MS_DEFAULT.to_string()),
            ("fetch_url", FETCH_TIME_MS_MAX.to_string()),
            ("file_search", FOUND_DEFAULT.to_string()),
            ("file_search", FOUND_MAX.to_string()),
            ("git_blame", BLAME_LINES_DEFAULT.to_string()),
            ("git_blame", BLAME_LINES_MAX.to_string()),
            ("git_diff", GIT_CONTEXT_LINES_MAX.to_string()),
            ("git_log", COMMITS_DEFAULT.to_string()),
            ("git_log", COMMITS_MAX.to_string()),
            ("grep_files", CONTEXT_LINES_MAX.to_string()),
            ("grep_files", FOUND_DEFAULT.to_string()),
            ("grep_files", FOUND_MAX.to_string()),
            ("list_dir", ENTRIES_MAX.to_string()),
            ("memory_search", MEMORY_FOUND_DEFAULT.to_string()),
            ("memory_search", MEMORY_FOUND_MAX.to_string()),
            ("read_file", format!("{} KiB", READ_BYTES_MAX / 1024)),
            ("remember", NOTE_BYTES_MAX.to_string()),
            (
                "retrieve_tool_result",
                format!("{} KiB", READ_BYTES_MAX / 1024),
            ),
            ("edit_file", format!("{HASH_DIGITS_MIN} digits")),
            ("apply_patch", format!("0 to {FUZZ_MAX}")),
        ] {
            assert!(told(tool).contains(&limit), "{tool} does not say {limit}");
        }
    }

    /// A change here changes the prompt of every turn.
    #[test]
    fn the_model_is_told_exactly_this() {
        let registry = Registry::builtin();
        let told: BTreeMap<_, _> = registry
            .specs()
            .map(|spec| {
                (
                    &spec.name,
                    json!({"description": spec.description, "input_schema": spec.input_schema}),
                )
            })
            .collect();
        insta::assert_json_snapshot!(told);
    }

    #[test]
    fn every_tool_and_every_parameter_is_described_to_the_model() {
        for spec in Registry::builtin().specs() {
            let name = &spec.name;
            assert!(
                spec.description.len() > 40,
                "{name} says too little: {}",
                spec.description
            );
            assert_eq!(spec.input_schema["type"], "object", "{name}");
            assert_eq!(spec.input_schema["additionalProperties"], false, "{name}");
            let members = spec.input_schema["properties"]
                .as_object()
                .expect("members");
            for (member, schema) in members {
                let description = schema["description"].as_str().unwrap_or_default();
                assert!(description.len() > 10, "{name}.{member}: {schema}");
                assert!(schema["type"].is_string(), "{name}.{member}: {schema}");
            }
        }
    }
}
