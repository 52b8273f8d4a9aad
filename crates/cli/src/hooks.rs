//! Hooks: from what the configuration says to what the engine runs.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use codewhale_config::{Config, Environment, HookCondition, HookSettings, hooks_of_file};
use codewhale_engine::{Condition, ConditionError, Hook, HookEvent, HookSource};

/// The file of hooks that a plugin or a repository brings along.
const FILE: &str = "hooks.toml";

/// The hooks of the user and of plugins, and a way to read those of repositories. One that cannot
/// be understood may be a guard, so nothing starts without it.
pub(crate) fn settings(
    config: &Config,
    environment: &Environment,
) -> anyhow::Result<codewhale_runtime::HookSettings> {
    let mut everyones = Vec::new();
    for directory in plugins(&config.home.value) {
        everyones.extend(of_plugin(&directory, environment)?);
    }
    let own = config.hooks.iter();
    let own: Result<Vec<Hook>, _> = own.map(|hook| built(hook, HookSource::User)).collect();
    everyones.extend(own.context("the hooks of the configuration cannot be used")?);
    let environment = environment.clone();
    Ok(codewhale_runtime::HookSettings {
        everyones: everyones.into(),
        of_repository: Arc::new(move |file| of_repository(file, &environment)),
    })
}

/// The directories of plugins, in order.
fn plugins(home: &Path) -> Vec<PathBuf> {
    let found = std::fs::read_dir(home.join("plugins"))
        .into_iter()
        .flatten();
    let mut found: Vec<PathBuf> = found.flatten().map(|entry| entry.path()).collect();
    found.sort();
    found
}

/// The hooks of a plugin. They run in its directory, where its files are.
fn of_plugin(directory: &Path, environment: &Environment) -> anyhow::Result<Vec<Hook>> {
    let file = directory.join(FILE);
    let read = hooks_of_file(&file, environment)?;
    for warning in read.warnings {
        eprintln!("warning: {warning}");
    }
    let hook = |settings: &HookSettings| -> Result<Hook, ConditionError> {
        let hook = built(settings, HookSource::User)?;
        let inside = hook.working_dir.clone().unwrap_or_default();
        let working_dir = Some(directory.join(inside));
        Ok(Hook {
            working_dir,
            ..hook
        })
    };
    let hooks: Result<Vec<Hook>, _> = read.hooks.iter().map(hook).collect();
    hooks.with_context(|| format!("the hooks in {} cannot be used", file.display()))
}

/// The hooks of a repository.
fn of_repository(file: &Path, environment: &Environment) -> Result<Vec<Hook>, String> {
    let read = hooks_of_file(file, environment).map_err(|error| error.to_string())?;
    let hooks = read.hooks.iter();
    let hooks = hooks.map(|hook| built(hook, HookSource::Repository));
    let hooks: Result<Vec<Hook>, _> = hooks.collect();
    hooks.map_err(|error| error.to_string())
}

fn built(settings: &HookSettings, source: HookSource) -> Result<Hook, ConditionError> {
    Ok(Hook {
        event: HookEvent::read(settings.event).expect("the configuration knows the same events"),
        command: settings.command.clone(),
        name: settings.name.clone(),
        timeout: settings.timeout,
        background: settings.background,
        continue_on_error: settings.continue_on_error,
        condition: condition(&settings.condition)?,
        source,
        working_dir: settings.working_dir.clone(),
    })
}

fn condition(settings: &HookCondition) -> Result<Condition, ConditionError> {
    let all = |parts: &[HookCondition]| -> Result<Vec<Condition>, ConditionError> {
        parts.iter().map(condition).collect()
    };
    Ok(match settings {
        HookCondition::Always => Condition::Always,
        HookCondition::ToolName(pattern) => Condition::tool_name(pattern)?,
        HookCondition::ToolCategory(word) => Condition::tool_category(word)?,
        HookCondition::Mode(word) => Condition::mode(word)?,
        HookCondition::ExitCode(code) => Condition::ExitCode(*code),
        HookCondition::All(parts) => Condition::All(all(parts)?),
        HookCondition::Any(parts) => Condition::Any(all(parts)?),
    })
}

#[cfg(test)]
mod tests {
    use codewhale_config::HOOK_EVENTS;

    use super::*;

    #[test]
    fn the_configuration_and_the_engine_know_the_same_events() {
        let engine: Vec<&str> = HookEvent::ALL.iter().map(|it| it.as_str()).collect();
        assert_eq!(HOOK_EVENTS, engine);
    }

    #[test]
    fn a_condition_that_means_nothing_is_told() {
        let word = HookCondition::ToolCategory("shel".into());
        let nested = HookCondition::Any(vec![HookCondition::All(vec![word])]);
        let told = condition(&nested).unwrap_err().to_string();
        assert!(told.contains("\"shel\" is no category"), "{told}");
    }
}
