//! The loop of a turn.

use std::time::Duration;

use codewhale_model::{Error, ErrorKind, FinishReason, Message, Request, Route, ToolSpec};
use codewhale_policy::offers;
use codewhale_protocol::runtime::FailureClass;
use codewhale_tools::{Context, Registry};

use crate::answer::{ModelAnswer, NoAnswer, Shower};
use crate::call::{Caller, Halt};
use crate::compaction::{self, Gauge, Occasion, bytes_of, fixed_bytes, replacement, to_summarize};
use crate::retry::in_words;
use crate::{
    Closing, Compacted, Failure, Hooks, Host, Note, Opening, Outcome, RetryPolicy, TurnEnd, limits,
};

/// Everything a turn needs.
pub struct Turn<'a> {
    /// The model.
    pub route: &'a Route,
    /// The standing instructions.
    pub system: String,
    /// The conversation, ending with what is asked now.
    pub conversation: Vec<Message>,
    /// The tools there are; the authority decides which are offered.
    pub tools: &'a Registry,
    /// Where tools run, and what stops them and the turn.
    pub context: Context,
    /// How patient to be with the provider.
    pub retry: RetryPolicy,
    /// The hooks that want to know, and may have a say.
    pub hooks: Option<&'a Hooks>,
    /// The owner.
    pub host: &'a dyn Host,
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

/// What the model is asked for when its budget is used up.
const LAST_WORDS: &str = "Report now, in a few sentences, what is done and what is not.";

/// Why the model gave no answer: how the turn ends, and whether less to read would help.
enum Unanswered {
    TooLong(TurnEnd),
    Ended(TurnEnd),
}

impl From<TurnEnd> for Unanswered {
    fn from(end: TurnEnd) -> Self {
        Self::Ended(end)
    }
}

impl From<Unanswered> for TurnEnd {
    fn from(unanswered: Unanswered) -> Self {
        match unanswered {
            Unanswered::TooLong(end) | Unanswered::Ended(end) => end,
        }
    }
}

impl Turn<'_> {
    async fn shorten_on_request(&mut self) -> Result<(), TurnEnd> {
        if self.conversation.len() < 2 {
            let short = "There is nothing to shorten: the conversation has hardly begun.";
            self.host.note(Note::Status(short.to_owned()));
            return Ok(());
        }
        let mut gauge = Gauge::new(self.route.context_window);
        self.shorten(&mut gauge, 1, Occasion::Asked).await
    }

    async fn steps(&mut self) -> Result<(), TurnEnd> {
        let mut gauge = Gauge::new(self.route.context_window);
        for step in 1..=limits::STEPS_MAX {
            self.make_room(&mut gauge, step).await?;
            if let Some(why) = self.host.spent() {
                return Err(self.say_last_words(&why, step).await);
            }
            let answer = match self.ask_model(step).await {
                // The provider counts otherwise than we do: what does not fit is told more shortly.
                Err(Unanswered::TooLong(_)) if self.conversation.len() > 1 => {
                    self.shorten(&mut gauge, step, Occasion::Crowded).await?;
                    self.ask_model(step).await
                }
                answer => answer,
            }?;
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
            self.run_calls(&calls, step).await?;
            self.take_input();
        }
        let steps = limits::STEPS_MAX;
        let why = format!(
            "the turn was stopped after {steps} calls of the model; start another turn to go on"
        );
        Err(self.say_last_words(&why, steps + 1).await)
    }

    /// Lets the model report once more, without doing anything, because the turn may cost no more.
    async fn say_last_words(&mut self, why: &str, step: u32) -> TurnEnd {
        let text = format!("{why}. Call no tools. {LAST_WORDS}");
        // Not part of what was said: the conversation is the same when it is told anew.
        self.conversation.push(Message::User { text });
        let answer = self.ask_model(step).await;
        self.conversation.pop();
        match answer {
            Err(Unanswered::Ended(TurnEnd::Interrupted)) => return TurnEnd::Interrupted,
            Err(_) => {}
            Ok(answer) => self.conversation.push(Message::Assistant {
                reasoning: answer.reasoning,
                text: answer.text,
                calls: Vec::new(),
            }),
        }
        TurnEnd::Failed(Failure::new(FailureClass::Limit, why))
    }

    /// One answer of the model, tried again as the policy allows. Each wait is shown.
    async fn ask_model(&self, step: u32) -> Result<ModelAnswer, Unanswered> {
        let tools = self.offered();
        let mut failed = 0;
        loop {
            let request = Request {
                model: &self.route.model,
                system: &self.system,
                messages: &self.conversation,
                tools: &tools,
            };
            let shower = Shower::new(self.host, step);
            let (error, open) = match shower
                .show(&*self.route.client, request, &self.context.cancel)
                .await
            {
                Ok(answer) => return Ok(answer),
                Err(NoAnswer::Cancelled) => return Err(TurnEnd::Interrupted.into()),
                Err(NoAnswer::Failed(error, open)) => (error, open),
            };
            failed += 1;
            let Some(wait) = self.retry.wait(failed, &error) else {
                let end = TurnEnd::Failed(Failure::from(&error));
                return Err(match error.kind {
                    ErrorKind::ContextOverflow => Unanswered::TooLong(end),
                    _ => Unanswered::Ended(end),
                });
            };
            if let Some(item) = open {
                self.host
                    .close(item, Closing::Abandoned(error.message.clone()));
            }
            self.wait_for_retry(wait, failed, &error).await?;
        }
    }

    /// Waits before another attempt, and shows that.
    async fn wait_for_retry(
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

    /// Shortens the conversation when it fills the window. Where that makes no room, the turn ends.
    async fn make_room(&mut self, gauge: &mut Gauge, step: u32) -> Result<(), TurnEnd> {
        let tools = self.offered();
        let fixed = fixed_bytes(&self.system, &tools);
        // A lone message cannot be told more shortly than it is.
        if self.conversation.len() < 2 || !gauge.is_crowded(fixed, &self.conversation) {
            return Ok(());
        }
        self.shorten(gauge, step, Occasion::Crowded).await
    }

    async fn shorten(
        &mut self,
        gauge: &mut Gauge,
        step: u32,
        occasion: Occasion,
    ) -> Result<(), TurnEnd> {
        let tools = self.offered();
        let fixed = fixed_bytes(&self.system, &tools);
        let auto = occasion == Occasion::Crowded;
        let item = self.host.open(Opening::Compaction { auto, step });
        let summary = self.summarize(&tools, gauge.bytes_max()).await;
        let summary = match summary {
            Ok(summary) => summary,
            Err(end) => {
                if let TurnEnd::Failed(failure) = &end {
                    let closing = Closing::Abandoned(failure.message.clone());
                    self.host.close(item, closing);
                }
                return Err(end);
            }
        };
        let text = replacement(&summary, &self.conversation, occasion);
        let shorter = vec![Message::User { text: text.clone() }];
        gauge.forget();
        let is_shorter = bytes_of(&shorter) < bytes_of(&self.conversation);
        if !is_shorter || gauge.is_crowded(fixed, &shorter) {
            let message = occasion.in_vain();
            self.host
                .close(item, Closing::Abandoned(message.to_owned()));
            return Err(TurnEnd::Failed(Failure::new(FailureClass::Limit, message)));
        }
        let messages_before = self.conversation.len();
        self.conversation = shorter;
        let compacted = Compacted {
            text,
            messages_before,
            messages_after: 1,
        };
        self.host.close(item, Closing::Compacted(compacted));
        Ok(())
    }

    /// The model's own summary of the conversation, tried again as the policy allows.
    async fn summarize(&self, tools: &[ToolSpec], mut bytes_max: usize) -> Result<String, TurnEnd> {
        let mut messages = to_summarize(&self.conversation, bytes_max);
        let (mut failed, mut halved) = (0, 0);
        loop {
            let request = Request {
                model: &self.route.model,
                system: &self.system,
                messages: &messages,
                tools,
            };
            let asked = async { compaction::read(self.route.client.stream(request).await?).await };
            let answer = tokio::select! {
                biased;
                () = self.context.cancel.cancelled() => return Err(TurnEnd::Interrupted),
                answer = asked => answer,
            };
            let error = match answer {
                Ok((summary, usage)) => {
                    usage
                        .map(Note::Usage)
                        .into_iter()
                        .for_each(|note| self.host.note(note));
                    return Ok(summary);
                }
                // What does not fit cannot be asked about as a whole either.
                Err(error)
                    if error.kind == ErrorKind::ContextOverflow
                        && halved < limits::SUMMARY_HALVINGS_MAX =>
                {
                    halved += 1;
                    bytes_max = bytes_max.min(bytes_of(&self.conversation)) / 2;
                    messages = to_summarize(&self.conversation, bytes_max);
                    continue;
                }
                Err(error) => error,
            };
            failed += 1;
            let Some(wait) = self.retry.wait(failed, &error) else {
                return Err(TurnEnd::Failed(Failure::from(&error)));
            };
            self.wait_for_retry(wait, failed, &error).await?;
        }
    }

    fn offered(&self) -> Vec<ToolSpec> {
        let authority = self.host.authority();
        let offered = self
            .tools
            .specs()
            .filter(|spec| offers(spec.act, &authority));
        offered
            .map(|spec| ToolSpec {
                name: spec.name.clone().into_owned(),
                description: spec.description.clone(),
                input_schema: spec.input_schema.clone(),
            })
            .collect()
    }

    async fn run_calls(
        &mut self,
        calls: &[codewhale_model::ToolCall],
        step: u32,
    ) -> Result<(), TurnEnd> {
        for call in calls {
            let caller = Caller {
                host: self.host,
                tools: self.tools,
                context: &self.context,
                hooks: self.hooks,
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
            });
        }
        Ok(())
    }

    /// Adds what was said meanwhile; true when there was something.
    fn take_input(&mut self) -> bool {
        let input = self.host.take_input();
        let some = !input.is_empty();
        self.conversation
            .extend(input.into_iter().map(|text| Message::User { text }));
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
            FailureClass::Truncated,
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
