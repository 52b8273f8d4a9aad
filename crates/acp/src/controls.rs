//! What a person can set about a session from the editor: mode, model, and who answers approvals.

use codewhale_protocol::runtime::{
    Mode, PermissionPosture, ThreadId, ThreadRecord, ThreadsPatchParams,
};

use crate::error::RpcError;
use crate::wire::{ConfigChoice, ConfigOption, ConfigValue, Modes, ShownMode};

const MODE: &str = "mode";
const MODEL: &str = "model";
const POSTURE: &str = "approval_posture";

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
pub(crate) fn options(thread: &ThreadRecord, models: &[String]) -> Vec<ConfigOption> {
    let choice = |value: &str, name: &str, description: &str| ConfigChoice {
        value: value.to_owned(),
        name: name.to_owned(),
        description: Some(description.to_owned()).filter(|text| !text.is_empty()),
    };
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
    let listed = models.iter().map(|it| choice(it, it, ""));
    let mut model: Vec<_> = listed.collect();
    if !models.contains(&thread.model) {
        model.insert(0, choice(&thread.model, &thread.model, ""));
    }
    let now = thread.permission();
    vec![
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
    ]
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
    let nothing = no_change(thread);
    Ok(match option {
        MODE => ThreadsPatchParams {
            mode: Some(known_mode(value.as_deref().unwrap_or_default())?.to_owned()),
            ..nothing
        },
        MODEL => ThreadsPatchParams {
            model: value,
            ..nothing
        },
        POSTURE => ThreadsPatchParams {
            permission_posture: value,
            ..nothing
        },
        _ => {
            let message =
                format!("there is no option {option:?}: use {MODE}, {MODEL} or {POSTURE}");
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

/// A change that changes nothing yet.
pub(crate) fn no_change(thread: &ThreadId) -> ThreadsPatchParams {
    ThreadsPatchParams {
        thread_id: thread.clone(),
        archived: None,
        allow_shell: None,
        trust_mode: None,
        auto_approve: None,
        model: None,
        mode: None,
        permission_posture: None,
        title: None,
        system_prompt: None,
        workspace: None,
    }
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
        assert!(set("mode", ConfigValue::Switch(true)).is_err());
        assert!(set("colour", choice("red")).is_err());
    }
}
