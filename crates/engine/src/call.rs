//! One call of a tool: read, judged, asked about, run.

use codewhale_model::ToolCall;
use codewhale_policy::{Answerer, Call, Rule, Verdict, decide};
use codewhale_protocol::runtime::{ItemId, ItemKind};
use codewhale_tools::{Context, Output, Prepared, Registry};
use serde_json::Value;

use crate::{Answer, Closing, Host, Opening, Question, Unsettled};

/// Runs the calls of a turn.
pub(crate) struct Caller<'a> {
    pub(crate) host: &'a dyn Host,
    pub(crate) tools: &'a Registry,
    pub(crate) context: &'a Context,
}

/// Why a turn cannot go on behind a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Halt {
    Cancelled,
    Unsettled,
}

/// What the law says about a call.
enum Judgement {
    Run,
    Refuse(Output),
    Ask(Box<Question>),
}

impl Caller<'_> {
    /// Runs one call and shows it. The output is what the model reads.
    pub(crate) async fn run(&self, call: &ToolCall, step: u32) -> Result<Output, Halt> {
        let input = serde_json::from_str::<Value>(&call.arguments);
        let shown = input
            .as_ref()
            .map_or_else(|_| Value::from(call.arguments.as_str()), Value::clone);
        let kind = self
            .tools
            .get(&call.name)
            .map_or(ItemKind::ToolCall, |tool| tool.spec().kind);
        let opening = Opening::Tool {
            call: call.clone(),
            input: shown,
            kind,
            step,
        };
        let item = self.host.open(opening);
        let output = match input {
            Err(error) => Ok(not_json(&error)),
            Ok(input) => self.prepare_and_run(call, &item, input).await,
        }?;
        self.host.close(item, Closing::Tool(output.clone()));
        Ok(output)
    }

    async fn prepare_and_run(
        &self,
        call: &ToolCall,
        item: &ItemId,
        input: Value,
    ) -> Result<Output, Halt> {
        let Some(tool) = self.tools.get(&call.name) else {
            return Ok(self.unknown_tool(&call.name));
        };
        let prepared = tokio::select! {
            biased;
            () = self.context.cancel.cancelled() => return Err(Halt::Cancelled),
            prepared = tool.prepare(input, self.context) => prepared,
        };
        let prepared = match prepared {
            Ok(prepared) => prepared,
            Err(output) => return Ok(output),
        };
        match self.judge(call, &prepared) {
            Judgement::Run => {}
            Judgement::Refuse(output) => return Ok(output),
            Judgement::Ask(question) => {
                if let Some(refusal) = self.ask(question).await? {
                    return Ok(refusal);
                }
            }
        }
        if prepared.demand.reaches_out() {
            let intended = self.host.intend(item, &prepared.digest).await;
            intended.map_err(|Unsettled| Halt::Unsettled)?;
        }
        let output = prepared.run(self.context.clone()).await;
        match self.context.cancel.is_cancelled() {
            true => Err(Halt::Cancelled),
            false => Ok(output),
        }
    }

    /// Lets the law decide.
    fn judge(&self, call: &ToolCall, prepared: &Prepared) -> Judgement {
        let judged = Call {
            tool: &call.name,
            demand: &prepared.demand,
            workspace: &self.context.workspace,
        };
        let decision = decide(judged, &self.host.authority(), &self.host.law());
        match decision.verdict {
            Verdict::Allow => Judgement::Run,
            Verdict::Deny => Judgement::Refuse(Output::failure(format!(
                "Not allowed: {}.",
                decision.reason
            ))),
            Verdict::Ask(answerer) => Judgement::Ask(Box::new(Question {
                tool_name: call.name.clone(),
                call_id: call.id.clone(),
                preview: prepared.preview.clone(),
                digest: prepared.digest.clone(),
                reason: decision.reason,
                matched_rule: decision.matched_rule,
                amendments: decision.amendments,
                remembering: Rule::remembering(judged),
                answerer,
            })),
        }
    }

    /// Lets a person decide, or whoever stands in for them. `None` when the call may run.
    async fn ask(&self, question: Box<Question>) -> Result<Option<Output>, Halt> {
        let answerer = question.answerer;
        let answer = tokio::select! {
            biased;
            () = self.context.cancel.cancelled() => return Err(Halt::Cancelled),
            answer = self.host.ask(*question) => answer,
        };
        match answer {
            Answer::Yes => Ok(None),
            Answer::No(reason) => Ok(Some(refusal(answerer, &reason))),
            Answer::Stop => Err(Halt::Cancelled),
        }
    }

    fn unknown_tool(&self, name: &str) -> Output {
        let known: Vec<&str> = self.tools.names().collect();
        Output::failure(format!(
            "There is no tool named {name:?}. The tools are: {}.",
            known.join(", ")
        ))
    }
}

fn refusal(answerer: Answerer, reason: &str) -> Output {
    let who = match answerer {
        Answerer::Person => "The call was refused",
        Answerer::AlwaysYes | Answerer::AlwaysNo => "The call was refused without asking",
    };
    Output::failure(format!(
        "{who}: {reason}. Do not repeat it; find another way or say what is needed."
    ))
}

fn not_json(error: &serde_json::Error) -> Output {
    Output::failure(format!(
        "The arguments of the call are not JSON ({error}). Call the tool again with one JSON object."
    ))
}
