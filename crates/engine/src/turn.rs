//! The loop of a turn.

use std::sync::Arc;
use std::time::Duration;

use codewhale_model::{
    Effort, Error, ErrorKind, FinishReason, Media, Message, Request, ToolCall, ToolSpec, with_meta,
};
use codewhale_policy::{Authority, offers};
use codewhale_protocol::runtime::{AttachmentId, FailureClass, ItemId, TurnMeta};
use codewhale_tools::{Context, Registry};

use crate::answer::{ModelAnswer, NoAnswer, Shower};
use crate::call::{Asking, Caller, Halt};
use crate::compaction::{Gauge, Occasion};
use crate::retry::in_words;
use crate::{Chain, Closing, Failure, Hooks, Host, Note, Outcome, RetryPolicy, TurnEnd, limits};

/// Everything a turn needs.
pub struct Turn<'a> {
    /// The model, and who stands in for it.
    pub chain: Chain,
    /// How hard it thinks.
    pub effort: Effort,
    /// What stands before the conversation.
    pub prefix: Prefix,
    /// The standing instructions as they are now. They count once the conversation has given way to
    /// its summary, and nothing that a provider has read can be used again anyway.
    pub renewed_system: Arc<str>,
    /// What the model is told behind each message of this turn.
    pub meta: Option<TurnMeta>,
    /// The conversation, ending with what is asked now.
    pub conversation: Vec<Message>,
    /// What is attached to it.
    pub media: Media,
    /// The tools there are; the authority decides which may be used.
    pub tools: &'a Registry,
    /// Where tools run, and what stops them and the turn.
    pub context: Context,
    /// How many calls of the model there may be, where someone has said so.
    pub steps_max: Option<u32>,
    /// How patient to be with the provider.
    pub retry: RetryPolicy,
    /// The hooks that want to know, and may have a say.
    pub hooks: Option<&'a Hooks>,
    /// The owner.
    pub host: &'a dyn Host,
}

/// What stands before a conversation. The same bytes from request to request, whatever happens
/// meanwhile: providers reuse what they have read as long as it is.
#[derive(Clone, PartialEq, Debug)]
pub struct Prefix {
    /// The standing instructions.
    pub system: Arc<str>,
    /// The tools on offer.
    pub tools: Vec<ToolSpec>,
}

/// The tools that are offered to whoever may do this, ordered by name.
pub fn offered(tools: &Registry, authority: &Authority) -> Vec<ToolSpec> {
    let offered = tools.specs().filter(|spec| offers(spec.act, authority));
    offered
        .map(|spec| ToolSpec {
            name: spec.name.clone().into_owned(),
            description: Arc::clone(&spec.description),
            input_schema: Arc::clone(&spec.input_schema),
        })
        .collect()
}

/// Runs a turn to its end. Items that are still open when it was stopped or failed are the owner's
/// to close.
pub async fn run(mut turn: Turn<'_>) -> Outcome {
    let end = match turn.steps().await {
        Ok(()) => TurnEnd::Completed,
        Err(end) => end,
    };
    Outcome {
        end,
        conversation: turn.conversation,
    }
}

/// Shortens the conversation of a turn, and does nothing else.
pub async fn compact(mut turn: Turn<'_>) -> Outcome {
    let end = match turn.shorten_on_request().await {
        Ok(()) => TurnEnd::Completed,
        Err(end) => end,
    };
    Outcome {
        end,
        conversation: turn.conversation,
    }
}

/// Runs one call that someone made themselves, and asks no model. What came of it is in its item: a
/// call that failed or was refused is an end like any other.
pub async fn call(mut turn: Turn<'_>, call: ToolCall, asking: Asking) -> Outcome {
    turn.conversation.push(Message::Assistant {
        reasoning: String::new(),
        text: String::new(),
        calls: vec![call.clone()],
    });
    let end = match turn.run_calls(&[call], 1, asking).await {
        Ok(()) => TurnEnd::Completed,
        Err(end) => end,
    };
    Outcome {
        end,
        conversation: turn.conversation,
    }
}

/// What the model is asked for when its budget is used up.
const LAST_WORDS: &str = "Report now, in a few sentences, what is done and what is not.";

/// Why the model gave no answer, and what would help.
enum Unanswered {
    /// Less to read.
    TooLong(TurnEnd),
    /// To ask again: another model stands in now.
    Switched,
    /// Nothing.
    Ended(TurnEnd),
}

impl From<TurnEnd> for Unanswered {
    fn from(end: TurnEnd) -> Self {
        Self::Ended(end)
    }
}

impl Turn<'_> {
    async fn steps(&mut self) -> Result<(), TurnEnd> {
        let mut gauge = self.gauge();
        let bound = self.steps_max.filter(|bound| *bound < limits::STEPS_MAX);
        for step in 1..=bound.unwrap_or(limits::STEPS_MAX) {
            if let Some(why) = self.host.spent() {
                return Err(self.say_last_words(&mut gauge, &why, step).await);
            }
            let answer = self.answer(&mut gauge, step).await?;
            let (calls, usage) = (answer.calls.clone(), answer.usage);
            check_finish(&answer)?;
            self.conversation.push(Message::Assistant {
                reasoning: answer.reasoning,
                text: answer.text,
                calls: answer.calls,
            });
            gauge.tell(usage, self.conversation.len());
            if calls.is_empty() && !self.take_input() && self.host.close_input().await {
                return Ok(());
            }
            self.run_calls(&calls, step, Asking::ByLaw).await?;
            self.take_input();
        }
        if let Some(bound) = bound {
            let why =
                format!("the turn was stopped after {bound} calls of the model, as it was told");
            return Err(TurnEnd::Failed(Failure::new(FailureClass::Limit, why)));
        }
        let steps = limits::STEPS_MAX;
        let why = format!(
            "the turn was stopped after {steps} calls of the model; start another turn to go on"
        );
        Err(self.say_last_words(&mut gauge, &why, steps + 1).await)
    }

    /// Lets the model report once more, without doing anything, because the turn may cost no more.
    async fn say_last_words(&mut self, gauge: &mut Gauge, why: &str, step: u32) -> TurnEnd {
        let text = format!("{why}. Call no tools. {LAST_WORDS}");
        // Not part of what was said: the conversation is the same when it is told anew.
        self.conversation.push(Message::user(text.clone()));
        let answer = self.answer(gauge, step).await;
        let is_request =
            |message: &Message| matches!(message, Message::User { text: it, .. } if *it == text);
        self.conversation.retain(|message| !is_request(message));
        match answer {
            Err(TurnEnd::Interrupted) => return TurnEnd::Interrupted,
            Err(_) => {}
            Ok(answer) => self.conversation.push(Message::Assistant {
                reasoning: answer.reasoning,
                text: answer.text,
                calls: Vec::new(),
            }),
        }
        TurnEnd::Failed(Failure::new(FailureClass::Limit, why))
    }

    pub(crate) fn gauge(&self) -> Gauge {
        Gauge::new(self.chain.now().context_window)
    }

    /// The answer of a step: with room made for it, and by whoever of the chain can give it.
    async fn answer(&mut self, gauge: &mut Gauge, step: u32) -> Result<ModelAnswer, TurnEnd> {
        loop {
            self.make_room(gauge, step).await?;
            match self.ask_model(step).await {
                Ok(answer) => return Ok(answer),
                // Its window may be a smaller one.
                Err(Unanswered::Switched) => *gauge = self.gauge(),
                // The provider counts otherwise than we do: what does not fit is told more shortly.
                Err(Unanswered::TooLong(_)) if self.conversation.len() > 1 => {
                    self.shorten(gauge, step, Occasion::Crowded).await?;
                }
                Err(Unanswered::TooLong(end) | Unanswered::Ended(end)) => return Err(end),
            }
        }
    }

    /// One answer of the model, tried again as the policy allows. Each wait is shown.
    async fn ask_model(&mut self, step: u32) -> Result<ModelAnswer, Unanswered> {
        let mut failed = 0;
        loop {
            let media = self
                .media
                .shown(self.chain.now().senses, &self.conversation);
            let request = Request {
                model: &self.chain.now().model,
                system: &self.prefix.system,
                messages: &self.conversation,
                tools: &self.prefix.tools,
                effort: self.effort,
                media: &media,
            };
            let shower = Shower::new(self.host, step);
            let (error, open) = match shower
                .show(&*self.chain.now().client, request, &self.context.cancel)
                .await
            {
                Ok(answer) => return Ok(answer),
                Err(NoAnswer::Cancelled) => return Err(TurnEnd::Interrupted.into()),
                Err(NoAnswer::Failed(error, open)) => (error, open),
            };
            if self.looks_away(&media, &error) {
                self.abandon(open, &error);
                continue;
            }
            failed += 1;
            if let Some(wait) = self.retry.wait(failed, &error) {
                self.abandon(open, &error);
                self.wait_for_retry(wait, failed, &error).await?;
                continue;
            }
            if let Some(next) = self.chain.next(&error, self.host) {
                self.abandon(open, &error);
                self.chain.switch(next, &error, self.host);
                return Err(Unanswered::Switched);
            }
            let end = TurnEnd::Failed(Failure::from(&error));
            return Err(match error.kind == ErrorKind::ContextOverflow {
                true => Unanswered::TooLong(end),
                false => Unanswered::Ended(end),
            });
        }
    }

    /// Leaves out what is attached, for the rest of the turn, when a request with it was refused:
    /// a model that cannot see must not make the whole conversation unanswerable.
    pub(crate) fn looks_away(&mut self, sent: &Media, error: &Error) -> bool {
        if sent.is_empty() || error.kind != ErrorKind::Rejected {
            return false;
        }
        let route = self.chain.now().label();
        self.host.note(Note::Status(format!(
            "{}; asking {route} again without what is attached",
            error.message
        )));
        self.media = Media::default();
        true
    }

    /// Gives up a text that broke off, because it is going to be said again.
    fn abandon(&self, open: Option<ItemId>, error: &Error) {
        if let Some(item) = open {
            self.host
                .close(item, Closing::Abandoned(error.message.clone()));
        }
    }

    /// Waits before another attempt, and shows that.
    pub(crate) async fn wait_for_retry(
        &self,
        wait: Duration,
        failed: u32,
        error: &Error,
    ) -> Result<(), TurnEnd> {
        self.host.note(Note::Status(format!(
            "{}; trying again in {} (attempt {} of {})",
            error.message,
            in_words(wait),
            failed + 1,
            self.retry.retries_max + 1,
        )));
        tokio::select! {
            biased;
            () = self.context.cancel.cancelled() => Err(TurnEnd::Interrupted),
            () = tokio::time::sleep(wait) => Ok(()),
        }
    }

    /// What would stand before the conversation if it began now.
    pub(crate) fn renewed(&self) -> Prefix {
        Prefix {
            system: Arc::clone(&self.renewed_system),
            tools: offered(self.tools, &self.host.authority()),
        }
    }

    /// A message for the model in this turn.
    pub(crate) fn user(&self, text: &str, attachments: Vec<AttachmentId>) -> Message {
        let text = with_meta(text, self.meta.as_ref());
        Message::User { text, attachments }
    }

    async fn run_calls(
        &mut self,
        calls: &[ToolCall],
        step: u32,
        asking: Asking,
    ) -> Result<(), TurnEnd> {
        for call in calls {
            let caller = Caller {
                host: self.host,
                tools: self.tools,
                context: &self.context,
                hooks: self.hooks,
                asking,
            };
            let output = caller.run(call, step).await.map_err(|halt| match halt {
                Halt::Cancelled => TurnEnd::Interrupted,
                Halt::Unsettled => TurnEnd::Failed(Failure::new(
                    FailureClass::Storage,
                    "the store could not keep what happened, so nothing more is run",
                )),
            })?;
            self.conversation.push(Message::Tool {
                call_id: call.id.clone(),
                output: output.text,
                success: output.success,
                attachments: output.attached.iter().map(|it| it.id.clone()).collect(),
            });
            for attached in output.attached {
                self.media.add(attached);
            }
        }
        Ok(())
    }

    /// Adds what was said meanwhile; true when there was something.
    fn take_input(&mut self) -> bool {
        let input = self.host.take_input();
        let some = !input.is_empty();
        let said: Vec<Message> = input
            .iter()
            .map(|text| self.user(text, Vec::new()))
            .collect();
        self.conversation.extend(said);
        some
    }
}

/// An answer that stopped for a wrong reason is not a final answer.
fn check_finish(answer: &ModelAnswer) -> Result<(), TurnEnd> {
    let failure = match &answer.finish {
        Some(FinishReason::Length) => Failure::new(
            FailureClass::Truncated,
            "the model ran into its length limit before it was done",
        ),
        Some(FinishReason::ContentFilter) => Failure::new(
            FailureClass::Refused,
            "the provider withheld the rest of the answer",
        ),
        Some(FinishReason::Stop | FinishReason::ToolCalls | FinishReason::Other(_)) | None => {
            if !answer.text.trim().is_empty() || !answer.calls.is_empty() {
                return Ok(());
            }
            let said = "the model ended its turn without saying or doing anything; try again or \
                        choose another model";
            Failure {
                retryable: true,
                ..Failure::new(FailureClass::Empty, said)
            }
        }
    };
    Err(TurnEnd::Failed(failure))
}
