//! What a person can set about a session from the editor: mode, model, how hard it thinks, and who
//! answers approvals.

use codewhale_protocol::runtime::{
    Effort, Mode, ModelInfo, PermissionPosture, ThreadId, ThreadRecord, ThreadsPatchParams,
};

use crate::error::RpcError;
use crate::wire::{ConfigChoice, ConfigOption, ConfigValue, Modes, ShownMode};

const MODE: &str = "mode";
const MODEL: &str = "model";
const EFFORT: &str = "thought_level";
const POSTURE: &str = "approval_posture";

/// The choice that leaves the effort to the settings.
const DEFAULT: &str = "default";

const MODES: &[(Mode, &str, &str)] = &[
    (
        Mode::Agent,
        "Agent",
        "Reads, writes and runs commands; asks as the approval setting says.",
    ),
    (
        Mode::Plan,
        "Plan",
        "Looks and thinks only: no writes, no commands.",
    ),
    (
        Mode::Operate,
        "Operate",
        "As Agent, and leaves more of the work to sub-agents.",
    ),
];

const POSTURES: &[(PermissionPosture, &str, &str)] = &[
    (PermissionPosture::Ask, "Ask", "You are asked."),
    (
        PermissionPosture::AutoReview,
        "Auto-review",
        "Nobody is asked: what cannot be proved safe is refused.",
    ),
    (
        PermissionPosture::FullAccess,
        "Full access",
        "Nobody is asked: everything is granted, and written down.",
    ),
];

/// What each effort means to a person.
fn about(effort: Effort) -> (&'static str, &'static str) {
    match effort {
        Effort::Off => ("Off", "It does not think first."),
        Effort::Low => ("Low", "It thinks a little."),
        Effort::Medium => ("Medium", "It thinks somewhat."),
        Effort::High => ("High", "It thinks much."),
        Effort::Max => ("Max", "It thinks as much as it can."),
        Effort::Auto => ("Auto", "As its provider thinks best."),
    }
}

/// The modes there are, and the one of this thread.
pub(crate) fn modes(thread: &ThreadRecord) -> Modes {
    let shown = |(mode, name, description): &(Mode, &'static str, &'static str)| ShownMode {
        id: mode.as_str(),
        name,
        description,
    };
    Modes {
        current_mode_id: thread.mode.as_str(),
        available_modes: MODES.iter().map(shown).collect(),
    }
}

/// Everything that can be set, and what it is set to.
pub(crate) fn options(thread: &ThreadRecord, models: &[ModelInfo]) -> Vec<ConfigOption> {
    let select = |id, name, description, category, current: &str, options| ConfigOption {
        id,
        name,
        description,
        category,
        kind: "select",
        current_value: current.to_owned(),
        options,
    };
    let mode = MODES.iter().map(|it| choice(it.0.as_str(), it.1, it.2));
    let posture = POSTURES.iter().map(|it| choice(it.0.as_str(), it.1, it.2));
    let listed = models.iter().map(|it| choice(&it.id, &it.id, ""));
    let mut model: Vec<_> = listed.collect();
    if models.iter().all(|it| it.id != thread.model) {
        model.insert(0, choice(&thread.model, &thread.model, ""));
    }
    let now = thread.permission();
    let mut options = vec![
        select(
            MODE,
            "Mode",
            "What kind of work",
            Some("mode"),
            now.mode.as_str(),
            mode.collect(),
        ),
        select(
            MODEL,
            "Model",
            "Which model answers",
            Some("model"),
            &thread.model,
            model,
        ),
        select(
            POSTURE,
            "Approvals",
            "Who answers when a call needs approval",
            None,
            now.posture.as_str(),
            posture.collect(),
        ),
    ];
    let efforts = efforts(thread, models);
    if !efforts.is_empty() {
        let effort = select(
            EFFORT,
            "Thinking",
            "How hard the model thinks",
            Some("thought_level"),
            thread.reasoning_effort.map_or(DEFAULT, Effort::as_str),
            efforts,
        );
        options.insert(2, effort);
    }
    options
}

fn choice(value: &str, name: &str, description: &str) -> ConfigChoice {
    ConfigChoice {
        value: value.to_owned(),
        name: name.to_owned(),
        description: Some(description.to_owned()).filter(|text| !text.is_empty()),
    }
}

/// The efforts that the model of a thread tells apart, and the one that is set, whatever the model
/// makes of it. None for a model that is not told how hard to think.
fn efforts(thread: &ThreadRecord, models: &[ModelInfo]) -> Vec<ConfigChoice> {
    // A model that is not listed is spoken to as the usual one of its provider.
    let model = models.iter().find(|it| it.id == thread.model);
    let known = model.or(models.first()).map(|it| &it.reasoning_efforts);
    let known = known.map(Vec::as_slice).unwrap_or_default();
    let set = thread.reasoning_effort;
    let all = Effort::ALL.into_iter();
    let shown = all.filter(|it| known.contains(it) || set == Some(*it));
    let mut choices: Vec<_> = shown
        .map(|it| choice(it.as_str(), about(it).0, about(it).1))
        .collect();
    if !choices.is_empty() {
        choices.insert(0, choice(DEFAULT, "Default", "As the settings say."));
    }
    choices
}

/// The change of the thread that an option amounts to.
pub(crate) fn change(
    thread: &ThreadId,
    option: &str,
    value: &ConfigValue,
) -> Result<ThreadsPatchParams, RpcError> {
    let value = match value {
        ConfigValue::Choice(value) => value,
        ConfigValue::Switch(on) => {
            let message =
                format!("{option:?} is no switch to set to {on}: give the id of a choice");
            return Err(RpcError::invalid_params(message));
        }
    };
    let value = Some(value.clone());
    let nothing = ThreadsPatchParams::nothing(thread.clone());
    Ok(match option {
        MODE => ThreadsPatchParams {
            mode: Some(known_mode(value.as_deref().unwrap_or_default())?.to_owned()),
            ..nothing
        },
        MODEL => ThreadsPatchParams {
            model: value,
            ..nothing
        },
        EFFORT => ThreadsPatchParams {
            // Nothing of its own is what the settings say.
            reasoning_effort: value.map(|it| if it == DEFAULT { String::new() } else { it }),
            ..nothing
        },
        POSTURE => ThreadsPatchParams {
            permission_posture: value,
            ..nothing
        },
        _ => {
            let message = format!(
                "there is no option {option:?}: use {MODE}, {MODEL}, {EFFORT} or {POSTURE}"
            );
            return Err(RpcError::invalid_params(message));
        }
    })
}

/// The word of a mode that is offered.
pub(crate) fn known_mode(id: &str) -> Result<&'static str, RpcError> {
    let known = MODES.iter().map(|it| it.0.as_str());
    known.clone().find(|mode| *mode == id).ok_or_else(|| {
        let known: Vec<_> = known.collect();
        let message = format!("there is no mode {id:?}: use one of {}", known.join(", "));
        RpcError::invalid_params(message)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mode_and_posture_that_is_offered_is_understood() {
        for (mode, ..) in MODES {
            assert_eq!(known_mode(mode.as_str()).unwrap(), mode.as_str());
        }
        for (posture, ..) in POSTURES {
            assert_eq!(
                PermissionPosture::parse(posture.as_str()).unwrap(),
                *posture
            );
        }
        assert!(known_mode("yolo").is_err());
    }

    #[test]
    fn an_option_is_set_by_the_id_of_a_choice() {
        let thread = ThreadId::from("thr_1");
        let set = |option: &str, value: ConfigValue| change(&thread, option, &value);
        let choice = |text: &str| ConfigValue::Choice(text.to_owned());
        assert_eq!(set("mode", choice("plan")).unwrap().mode.unwrap(), "plan");
        assert_eq!(set("model", choice("m")).unwrap().model.unwrap(), "m");
        let effort = |text| set("thought_level", choice(text)).unwrap().reasoning_effort;
        assert_eq!(effort("high").unwrap(), "high");
        assert_eq!(effort("default").unwrap(), "");
        assert!(set("mode", ConfigValue::Switch(true)).is_err());
        assert!(set("colour", choice("red")).is_err());
    }
}
