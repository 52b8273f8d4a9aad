//! The loop of a turn.

use codewhale_model::{FinishReason, Message, Request, Route, ToolSpec};
use codewhale_policy::offers;
use codewhale_protocol::runtime::FailureClass;
use codewhale_tools::{Context, Registry};

use crate::answer::{ModelAnswer, NoAnswer, Shower};
use crate::call::{Caller, Halt};
use crate::retry::in_words;
use crate::{Closing, Failure, Host, Note, Outcome, RetryPolicy, TurnEnd, limits};

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

impl Turn<'_> {
    async fn steps(&mut self) -> Result<(), TurnEnd> {
        for step in 1..=limits::STEPS_MAX {
            let answer = self.ask_model(step).await?;
            let calls = answer.calls.clone();
            check_finish(&answer)?;
            self.conversation.push(Message::Assistant {
                reasoning: answer.reasoning,
                text: answer.text,
                calls: answer.calls,
            });
            if calls.is_empty() && !self.take_input() && self.host.close_input().await {
                return Ok(());
            }
            self.run_calls(&calls, step).await?;
            self.take_input();
        }
        Err(TurnEnd::Failed(Failure::new(
            FailureClass::Limit,
            format!(
                "the turn was stopped after {} calls of the model; start another turn to go on",
                limits::STEPS_MAX
            ),
        )))
    }

    /// One answer of the model, tried again as the policy allows. Each wait is shown.
    async fn ask_model(&self, step: u32) -> Result<ModelAnswer, TurnEnd> {
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
                Err(NoAnswer::Cancelled) => return Err(TurnEnd::Interrupted),
                Err(NoAnswer::Failed(error, open)) => (error, open),
            };
            failed += 1;
            let Some(wait) = self.retry.wait(failed, &error) else {
                return Err(TurnEnd::Failed(Failure::from(&error)));
            };
            if let Some(item) = open {
                self.host
                    .close(item, Closing::Abandoned(error.message.clone()));
            }
            self.host.note(Note::Status(format!(
                "{}; trying again in {} (attempt {} of {})",
                error.message,
                in_words(wait),
                failed + 1,
                self.retry.retries_max + 1,
            )));
            tokio::select! {
                biased;
                () = self.context.cancel.cancelled() => return Err(TurnEnd::Interrupted),
                () = tokio::time::sleep(wait) => {}
            }
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
