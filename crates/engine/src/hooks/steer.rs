//! Hooks that have a say: over a call, a message, the environment of commands.

use codewhale_protocol::runtime::Mode;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::run::run;
use super::verdict::{CallVerdict, Decision, Fault, MessageVerdict};
use super::{CallFacts, Hook, HookEvent, HookSource, Hooks, Moment, shell_env};
use crate::limits;

/// Hooks put an end to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stopped {
    /// The turn is over.
    Cancelled,
    /// A hook said no.
    Refused {
        /// Which.
        hook: String,
        /// Why.
        reason: String,
    },
}

/// What hooks make of a call.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Steered {
    /// What it is given now.
    pub(crate) input: Value,
    pub(crate) ruling: Ruling,
    /// For the model, beside the result.
    pub(crate) context: Vec<String>,
    /// For people.
    pub(crate) lines: Vec<String>,
}

impl Steered {
    /// A call that no hook has looked at.
    pub(crate) fn untouched(input: Value) -> Self {
        Self {
            input,
            ruling: Ruling::ByLaw,
            context: Vec::new(),
            lines: Vec::new(),
        }
    }
}

/// How a call goes on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Ruling {
    /// As the law says.
    ByLaw,
    /// As the law says, and a person is asked, for this reason.
    Ask(String),
}

impl Hooks {
    /// Lets hooks have their say about a call, one after the other; each sees what the one before
    /// made of it. The first no is the last word.
    pub(crate) async fn before_call(
        &self,
        mode: Mode,
        call: CallFacts<'_>,
        cancel: &CancellationToken,
    ) -> Result<Steered, Stopped> {
        let mut steered = Steered::untouched(call.input.clone());
        for hook in self.hooks.iter() {
            let input = &steered.input;
            let moment = Moment::tool_call_before(mode, CallFacts { input, ..call });
            if hook.event != HookEvent::ToolCallBefore || !hook.condition.holds(&moment.facts) {
                continue;
            }
            let ran = run(hook, &self.stage, &moment, cancel).await;
            let verdict = ran.and_then(|ran| ran.of_call(hook.timeout));
            let verdict = self.settled(hook, verdict, &mut steered.lines)?;
            self.take(hook, verdict, &mut steered)?;
        }
        Ok(steered)
    }

    /// What a fault means: nothing but a line, unless the hook is strict.
    fn settled<T: Verdict>(
        &self,
        hook: &Hook,
        verdict: Result<T, Fault>,
        lines: &mut Vec<String>,
    ) -> Result<T, Stopped> {
        let fault = match verdict {
            Ok(verdict) if hook.continue_on_error || !verdict.is_silent() => return Ok(verdict),
            Ok(_) => Fault::Silent,
            Err(fault) => fault,
        };
        match fault {
            Fault::Cancelled => Err(Stopped::Cancelled),
            fault if hook.continue_on_error => {
                lines.push(self.stage.line(hook, &fault.to_string()));
                Ok(T::default())
            }
            fault => Err(self.refused(hook, &format!("the hook {fault}, and it is strict"))),
        }
    }

    fn take(
        &self,
        hook: &Hook,
        verdict: CallVerdict,
        steered: &mut Steered,
    ) -> Result<(), Stopped> {
        let label = hook.label();
        match verdict.decision {
            None | Some(Decision::Allow) => {}
            Some(Decision::Ask(reason)) => {
                let reason = match reason.trim() {
                    "" => format!("the hook {label:?} wants a person asked"),
                    reason => format!("the hook {label:?} wants a person asked: {reason}"),
                };
                steered.ruling = Ruling::Ask(self.stage.redactor.mask(&reason).into_owned());
            }
            Some(Decision::Deny(reason)) => return Err(self.refused(hook, &reason)),
        }
        if let Some(input) = verdict.input.filter(|input| *input != steered.input) {
            let told = format!("The hook {label:?} changed the input of this call to {input}");
            let kept = super::moment::cut(&told, limits::HOOK_WORDS_BYTES_MAX);
            steered.context.push(kept.to_owned());
            steered
                .lines
                .push(self.stage.line(hook, "changed the input of a call"));
            steered.input = input;
        }
        let context = verdict.context.unwrap_or_default();
        if !context.trim().is_empty() {
            let told = format!("The hook {label:?} says: {}", context.trim());
            steered.context.push(told);
        }
        Ok(())
    }

    /// Lets hooks have their say about a message: the text as it is to be, and lines for people.
    pub async fn submit(
        &self,
        mode: Mode,
        mut text: String,
        cancel: &CancellationToken,
    ) -> Result<(String, Vec<String>), Stopped> {
        let mut lines = Vec::new();
        for hook in self.hooks.iter() {
            let moment = Moment::message_submit(mode, &text);
            if hook.event != HookEvent::MessageSubmit || !hook.condition.holds(&moment.facts) {
                continue;
            }
            let ran = run(hook, &self.stage, &moment, cancel).await;
            let verdict = ran.and_then(|ran| ran.of_message(hook.timeout));
            match self.settled(hook, verdict, &mut lines)? {
                MessageVerdict::Keep => {}
                MessageVerdict::Replace(other) => text = other,
                MessageVerdict::Block(reason) => return Err(self.refused(hook, &reason)),
            }
        }
        Ok((text, lines))
    }

    /// The environment of a command with what hooks add, and lines for people. The hooks of a
    /// repository add nothing: a person may let that command out of its walls.
    pub(crate) async fn shell_env(
        &self,
        mode: Mode,
        call: CallFacts<'_>,
        environment: &[(String, String)],
        cancel: &CancellationToken,
    ) -> Result<(Vec<(String, String)>, Vec<String>), Stopped> {
        let (mut environment, mut lines) = (environment.to_vec(), Vec::new());
        let moment = Moment::shell_env(mode, call);
        for hook in self.of(&moment) {
            if hook.source == HookSource::Repository {
                lines.push(self.stage.line(hook, "is a repository's and does not run"));
                continue;
            }
            let ran = run(hook, &self.stage, &moment, cancel).await;
            let said = ran.and_then(|ran| ran.check(hook.timeout).map(|()| ran));
            let said = said.map(|ran| shell_env::read(&ran.output.text, &self.stage.redactor));
            let said = self.settled(hook, said, &mut lines)?;
            environment = shell_env::with(&environment, &said.variables);
            let refused = said.refused.iter();
            lines.extend(refused.map(|what| self.stage.line(hook, &format!("says: {what}"))));
        }
        Ok((environment, lines))
    }

    fn refused(&self, hook: &Hook, reason: &str) -> Stopped {
        let mask = |text: &str| self.stage.redactor.mask(text).into_owned();
        Stopped::Refused {
            hook: mask(&hook.label()),
            reason: mask(reason),
        }
    }
}

/// What a hook says, where a strict one has to say something.
trait Verdict: Default {
    fn is_silent(&self) -> bool;
}

impl Verdict for CallVerdict {
    fn is_silent(&self) -> bool {
        self.decision.is_none()
    }
}

impl Verdict for MessageVerdict {
    /// That a message stays as it is needs no words.
    fn is_silent(&self) -> bool {
        false
    }
}

impl Verdict for shell_env::Additions {
    fn is_silent(&self) -> bool {
        false
    }
}
