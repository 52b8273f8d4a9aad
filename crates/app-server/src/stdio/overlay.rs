//! What a request to resume or fork wants changed about the thread. What cannot be changed is refused:
//! a setting that is only repeated, and not kept, would be a lie.

use std::path::Path;

use codewhale_protocol::operations::ThreadsPatch;
use codewhale_protocol::runtime::{PermissionPosture, ThreadDetail, ThreadRecord};
use codewhale_protocol::{ThreadForkParams, ThreadResumeParams};
use serde_json::{Map, Value, json};

use super::desk::Desk;
use super::rpc::Fault;

/// Changes to a thread, as `threads/patch` takes them.
pub(super) struct Overlay(Map<String, Value>);

/// The members that both requests have.
struct Wishes<'a> {
    model: Option<&'a str>,
    model_provider: Option<&'a str>,
    cwd: Option<&'a Path>,
    approval_policy: Option<&'a str>,
    sandbox: Option<&'a str>,
    config: Option<&'a Value>,
    instructions: [Option<&'a str>; 3],
}

impl Overlay {
    pub(super) fn of_resume(
        resume: &ThreadResumeParams,
        detail: &ThreadDetail,
    ) -> Result<Self, Fault> {
        let known = |item: &Value| {
            let id = item.get("id").and_then(Value::as_str);
            id.is_some_and(|id| detail.items.iter().any(|item| item.id.as_str() == id))
        };
        let history = resume.history.iter().flatten();
        if history.into_iter().any(|item| !known(item)) {
            return Err(Fault::params(
                "history has items that the thread has not; a thread keeps its own, so leave history out",
            ));
        }
        let wishes = Wishes {
            model: resume.model.as_deref(),
            model_provider: resume.model_provider.as_deref(),
            cwd: resume.cwd.as_deref(),
            approval_policy: resume.approval_policy.as_deref(),
            sandbox: resume.sandbox.as_deref(),
            config: resume.config.as_ref(),
            instructions: [
                resume.base_instructions.as_deref(),
                resume.developer_instructions.as_deref(),
                resume.personality.as_deref(),
            ],
        };
        wishes.over(&detail.thread)
    }

    pub(super) fn of_fork(fork: &ThreadForkParams, source: &ThreadRecord) -> Result<Self, Fault> {
        let wishes = Wishes {
            model: fork.model.as_deref(),
            model_provider: fork.model_provider.as_deref(),
            cwd: fork.cwd.as_deref(),
            approval_policy: fork.approval_policy.as_deref(),
            sandbox: fork.sandbox.as_deref(),
            config: fork.config.as_ref(),
            instructions: [
                fork.base_instructions.as_deref(),
                fork.developer_instructions.as_deref(),
                None,
            ],
        };
        wishes.over(source)
    }

    /// Changes the thread, if there is something to change.
    pub(super) async fn lay(
        self,
        desk: &Desk,
        thread: ThreadRecord,
    ) -> Result<ThreadRecord, Fault> {
        let Overlay(mut changes) = self;
        if changes.is_empty() {
            return Ok(thread);
        }
        changes.insert("thread_id".to_owned(), json!(thread.id));
        Ok(desk.call::<ThreadsPatch>(Value::Object(changes)).await?)
    }
}

impl Wishes<'_> {
    fn over(self, thread: &ThreadRecord) -> Result<Overlay, Fault> {
        let mut changes = Map::new();
        if let Some(model) = self.model.filter(|model| *model != thread.model) {
            changes.insert("model".to_owned(), model.into());
        }
        if let Some(cwd) = self.cwd.filter(|cwd| *cwd != Path::new(&thread.workspace)) {
            changes.insert("workspace".to_owned(), json!(cwd));
        }
        let own = [&thread.model_provider, &thread.model_provider_id];
        let is_own = |wish: &str| own.iter().any(|it| it.as_deref() == Some(wish));
        if let Some(other) = self.model_provider.filter(|wish| !is_own(wish)) {
            return Err(Fault::params(format!(
                "a thread keeps its provider; start a new one for {other:?}"
            )));
        }
        let policy = thread.approval_policy.as_deref();
        if let Some(wish) = self.approval_policy.filter(|wish| Some(*wish) != policy) {
            changes.insert("permission_posture".to_owned(), posture(wish)?.into());
        }
        let walls = thread.sandbox_mode.as_deref();
        if let Some(wish) = self.sandbox.filter(|wish| Some(*wish) != walls) {
            return Err(Fault::params(format!(
                "the sandbox of a thread follows from the configuration and is {:?}; change sandbox_mode there for {wish:?}",
                walls.unwrap_or("not set")
            )));
        }
        for (name, value) in settings(self.config)? {
            match name.as_str() {
                "reasoning_effort" => changes.insert(name.clone(), value.clone()),
                _ => {
                    return Err(Fault::params(format!(
                        "a thread has no {name:?} of its own, only reasoning_effort; use app/config/set, or threads/patch for what a thread can be set to"
                    )));
                }
            };
        }
        let instructions: Vec<&str> = self.instructions.into_iter().flatten().collect();
        if !instructions.is_empty() {
            let text = instructions.join("\n\n");
            changes.insert("system_prompt".to_owned(), text.into());
        }
        Ok(Overlay(changes))
    }
}

/// The settings that are wished for. One that is null is left as it is.
fn settings(config: Option<&Value>) -> Result<impl Iterator<Item = (&String, &Value)>, Fault> {
    let members = match config {
        None | Some(Value::Null) => None,
        Some(Value::Object(members)) => Some(members),
        Some(_) => return Err(Fault::params("config must be an object of settings")),
    };
    let members = members.into_iter().flatten();
    Ok(members.filter(|(_, value)| !value.is_null()))
}

/// The posture that a policy means, by the words that postures have for theirs.
fn posture(policy: &str) -> Result<&'static str, Fault> {
    let postures = [
        (PermissionPosture::Ask, "ask"),
        (PermissionPosture::AutoReview, "auto_review"),
        (PermissionPosture::FullAccess, "full_access"),
    ];
    let found = postures
        .iter()
        .find(|(posture, word)| posture.approval_policy() == policy || *word == policy);
    found.map(|(_, word)| *word).ok_or_else(|| {
        let known: Vec<&str> = postures
            .iter()
            .map(|(it, _)| it.approval_policy())
            .collect();
        Fault::params(format!(
            "no thread has the approval policy {policy:?}; use one of {}",
            known.join(", ")
        ))
    })
}
