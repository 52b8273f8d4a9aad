//! The hooks of a thread, and what they are given.

use std::path::PathBuf;
use std::sync::Arc;

use codewhale_protocol::Redactor;
use codewhale_protocol::service::BoxFuture;
use codewhale_sandbox::Walls;
use tokio_util::sync::CancellationToken;

use super::run::run;
use super::verdict::Fault;
use super::{Hook, HookEvent, HookSource, Moment};

/// Takes a hook that nobody waits for into care: owns it, ends it with the program, and tells the
/// line it ends with, if any. False when there is no room for one more.
pub type HookKeeper = Arc<dyn Fn(BoxFuture<'static, Option<String>>) -> bool + Send + Sync>;

/// Where hooks run, and what all of them are told.
#[derive(Clone)]
pub struct Stage {
    /// The thread.
    pub session_id: String,
    /// Its workspace.
    pub workspace: PathBuf,
    /// Its model.
    pub model: String,
    /// Tokens the session has used in the turns before, where that is known.
    pub total_tokens: Option<u64>,
    /// What they cost, in dollars, where that is known.
    pub session_cost: Option<String>,
    /// The environment of child processes, without any secret.
    pub environment: Arc<[(String, String)]>,
    /// What holds the hooks of a repository. Without walls they do not run.
    pub walls: Option<Walls>,
    /// Knows the secrets that no hook is told.
    pub redactor: Arc<Redactor>,
    /// Who owns hooks that nobody waits for.
    pub keeper: HookKeeper,
}

/// The hooks of a thread.
#[derive(Clone)]
pub struct Hooks {
    pub(super) hooks: Arc<[Hook]>,
    pub(super) stage: Arc<Stage>,
}

impl Hooks {
    /// These hooks. Those of a repository come first, each kind in the order it stands in.
    pub fn new(hooks: impl IntoIterator<Item = Hook>, stage: Stage) -> Self {
        let mut hooks: Vec<Hook> = hooks.into_iter().collect();
        hooks.sort_by_key(|hook| match hook.source {
            HookSource::Repository => 0,
            HookSource::User => 1,
        });
        Self {
            hooks: hooks.into(),
            stage: Arc::new(stage),
        }
    }

    /// Whether anyone wants to know of such a thing.
    pub fn listens(&self, event: HookEvent) -> bool {
        self.hooks.iter().any(|hook| hook.event == event)
    }

    /// Runs the hooks of a moment in which none has a say. Gives a line for each that failed; ends
    /// early when `cancel` fires.
    pub async fn fire(&self, moment: &Moment, cancel: &CancellationToken) -> Vec<String> {
        let mut lines = Vec::new();
        for hook in self.of(moment) {
            let line = match hook.background {
                true => self.leave(hook, moment),
                false => told(hook, &self.stage, moment, cancel).await,
            };
            lines.extend(line);
        }
        lines
    }

    /// Those that the moment is for.
    pub(super) fn of<'a>(&'a self, moment: &'a Moment) -> impl Iterator<Item = &'a Hook> {
        let is_for = |hook: &&Hook| hook.event == moment.event;
        let hooks = self.hooks.iter().filter(is_for);
        hooks.filter(|hook| hook.condition.holds(&moment.facts))
    }

    /// Leaves a hook to the keeper.
    fn leave(&self, hook: &Hook, moment: &Moment) -> Option<String> {
        let (own, stage, moment) = (hook.clone(), Arc::clone(&self.stage), moment.clone());
        let work = async move { told(&own, &stage, &moment, &CancellationToken::new()).await };
        let is_kept = (self.stage.keeper)(Box::pin(work));
        (!is_kept).then(|| {
            self.stage
                .line(hook, "did not run: too many run in the background")
        })
    }
}

/// Runs a hook without a say; a line when it failed.
async fn told(
    hook: &Hook,
    stage: &Stage,
    moment: &Moment,
    cancel: &CancellationToken,
) -> Option<String> {
    let ran = run(hook, stage, moment, cancel).await;
    // How much it wrote is its own affair: nobody reads it.
    let fault = match ran.and_then(|ran| ran.check(hook.timeout)) {
        Ok(()) | Err(Fault::TooLong) => return None,
        Err(fault) => fault,
    };
    Some(stage.line(hook, &fault.to_string()))
}

impl Stage {
    /// A line about a hook, without secrets.
    pub(super) fn line(&self, hook: &Hook, what: &str) -> String {
        let event = hook.event.as_str();
        let line = format!("The {event} hook {:?} {what}.", hook.label());
        self.redactor.mask(&line).into_owned()
    }
}
