//! One call of a tool: read, judged, asked about, run.

use codewhale_model::ToolCall;
use codewhale_policy::{
    Act, Answerer, Call, Rule, Verdict, decide, decide_with_person, offers, wants_wider_walls,
};
use codewhale_protocol::runtime::{ItemId, ItemKind};
use codewhale_tools::{Context, Output, Prepared, Registry, Spec};
use serde_json::{Value, json};

use crate::hooks::{Ruling, Steered};
use crate::live::run_shown;
use crate::{
    Answer, CallFacts, Closing, HookEvent, Hooks, Host, Moment, Note, Opening, Question, Stopped,
    Unsettled,
};

/// Runs the calls of a turn.
pub(crate) struct Caller<'a> {
    pub(crate) host: &'a dyn Host,
    pub(crate) tools: &'a Registry,
    pub(crate) context: &'a Context,
    pub(crate) hooks: Option<&'a Hooks>,
    pub(crate) asking: Asking,
}

/// When a person is asked about a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Asking {
    /// When the law says so.
    ByLaw,
    /// In any case: whoever made the call wants it so.
    Always,
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
        if let Some(why) = self.host.calls_spent() {
            let text = format!("The call was not run: {why}. Say what is done and what is not.");
            return Ok(refused(text));
        }
        let steered = match self.steer(call, tool.spec(), input).await {
            Ok(steered) => steered,
            Err(stopped) => return stopped_by_hook(stopped),
        };
        let steered = self.asking.tightened(steered);
        let context = match self.context_for(call, tool.spec(), &steered.input).await {
            Ok(context) => context,
            Err(stopped) => return stopped_by_hook(stopped),
        };
        let given = steered.input.clone();
        let prepared = tokio::select! {
            biased;
            () = context.cancel.cancelled() => return Err(Halt::Cancelled),
            prepared = tool.prepare(given, &context) => prepared,
        };
        let prepared = match prepared {
            Ok(prepared) => prepared,
            Err(output) => return Ok(beside(output, &steered.context)),
        };
        match self.judge(call, &prepared, &steered.ruling) {
            Judgement::Run => {}
            Judgement::Refuse(output) => return Ok(beside(output, &steered.context)),
            Judgement::Ask(question) => {
                if let Some(refusal) = self.ask(question).await? {
                    return Ok(beside(refusal, &steered.context));
                }
            }
        }
        if prepared.demand.reaches_out() {
            let intended = self.host.intend(item, &prepared.digest).await;
            intended.map_err(|Unsettled| Halt::Unsettled)?;
        }
        let output = self.run_allowed(item, prepared, context).await?;
        self.tell_hooks(call, tool.spec(), &steered.input, &output)
            .await;
        Ok(beside(output, &steered.context))
    }

    /// Runs a call that may run: to its own end, that of the turn, or the one a person puts to it.
    async fn run_allowed(
        &self,
        item: &ItemId,
        prepared: Prepared,
        context: Context,
    ) -> Result<Output, Halt> {
        let stop = self.context.cancel.child_token();
        self.host.running(item, &stop);
        let context = Context {
            cancel: stop.clone(),
            ..context
        };
        let output = run_shown(self.host, item, prepared, context).await;
        self.host.ran(item);
        match (self.context.cancel.is_cancelled(), stop.is_cancelled()) {
            (true, _) => Err(Halt::Cancelled),
            (false, true) => Ok(stopped_by_person(output)),
            (false, false) => Ok(output),
        }
    }

    /// Lets hooks have their say, about what mode and thread admit at all.
    async fn steer(&self, call: &ToolCall, spec: &Spec, input: Value) -> Result<Steered, Stopped> {
        let authority = self.host.authority();
        let listening = self.listening(HookEvent::ToolCallBefore);
        let Some(hooks) = listening.filter(|_| offers(spec.act, &authority)) else {
            return Ok(Steered::untouched(input));
        };
        let facts = facts(call, spec, &input);
        let mode = authority.permission.mode;
        let steered = hooks.before_call(mode, facts, &self.context.cancel).await?;
        self.show(&steered.lines);
        Ok(steered)
    }

    /// Where the call runs: with what hooks add to the environment, when it is a command.
    async fn context_for(
        &self,
        call: &ToolCall,
        spec: &Spec,
        input: &Value,
    ) -> Result<Context, Stopped> {
        let mut context = self.context.clone();
        let authority = self.host.authority();
        let is_command = spec.act == Act::Execute && offers(spec.act, &authority);
        let listening = self.listening(HookEvent::ShellEnv);
        let Some(hooks) = listening.filter(|_| is_command) else {
            return Ok(context);
        };
        let facts = facts(call, spec, input);
        let mode = authority.permission.mode;
        let (environment, lines) = hooks
            .shell_env(mode, facts, &context.environment, &context.cancel)
            .await?;
        self.show(&lines);
        context.environment = environment.into();
        Ok(context)
    }

    /// Tells hooks what came of a call.
    async fn tell_hooks(&self, call: &ToolCall, spec: &Spec, input: &Value, output: &Output) {
        let Some(hooks) = self.listening(HookEvent::ToolCallAfter) else {
            return;
        };
        let mode = self.host.authority().permission.mode;
        let moment = Moment::tool_call_after(mode, facts(call, spec, input), output);
        let lines = hooks.fire(&moment, &self.context.cancel).await;
        self.show(&lines);
    }

    fn listening(&self, event: HookEvent) -> Option<&Hooks> {
        self.hooks.filter(|hooks| hooks.listens(event))
    }

    fn show(&self, lines: &[String]) {
        for line in lines {
            self.host.note(Note::Status(line.clone()));
        }
    }

    /// Lets the law decide.
    fn judge(&self, call: &ToolCall, prepared: &Prepared, ruling: &Ruling) -> Judgement {
        let judged = Call {
            tool: &call.name,
            demand: &prepared.demand,
            workspace: &self.context.workspace,
        };
        let authority = self.host.authority();
        let mut decision = decide(judged, &authority, &self.host.law());
        let mut remembering = Rule::remembering(judged);
        if let Ruling::Ask(wish) = ruling {
            decision = decide_with_person(decision, wish, &authority);
            // A rule would not keep the hook from asking again.
            remembering = None;
        }
        match decision.verdict {
            Verdict::Allow => Judgement::Run,
            Verdict::Deny => {
                Judgement::Refuse(refused(format!("Not allowed: {}.", decision.reason)))
            }
            Verdict::Ask(answerer) => Judgement::Ask(Box::new(Question {
                tool_name: call.name.clone(),
                call_id: call.id.clone(),
                preview: prepared.preview.clone(),
                digest: prepared.digest.clone(),
                reason: decision.reason,
                wider_walls: wants_wider_walls(&prepared.demand, &authority),
                matched_rule: decision.matched_rule,
                amendments: decision.amendments,
                remembering,
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
        let text = format!(
            "There is no tool named {name:?}. The tools are: {}.",
            known.join(", ")
        );
        not_run(text, "not_available")
    }
}

impl Asking {
    /// What hooks made of a call, and the wish to have a person asked.
    fn tightened(self, steered: Steered) -> Steered {
        let ruling = match (self, steered.ruling) {
            (Asking::Always, Ruling::ByLaw) => {
                Ruling::Ask("whoever called the tool wants a person to be asked".to_owned())
            }
            (Asking::Always | Asking::ByLaw, ruling) => ruling,
        };
        Steered { ruling, ..steered }
    }
}

fn facts<'a>(call: &'a ToolCall, spec: &'a Spec, input: &'a Value) -> CallFacts<'a> {
    CallFacts {
        // The tool's own name, whichever one the model used.
        tool: &spec.name,
        category: spec.act.into(),
        call_id: &call.id,
        input,
    }
}

/// An output with what hooks say beside it.
fn beside(mut output: Output, context: &[String]) -> Output {
    for words in context {
        output.text.push_str(&format!("\n\n[{words}]"));
        if let Some(shown) = &mut output.shown {
            shown.push_str(&format!("\n\n[{words}]"));
        }
    }
    output
}

/// What is left of a call that a person stopped while the turn goes on.
fn stopped_by_person(output: Output) -> Output {
    let note = "[A person stopped this call. Do not repeat it unless they ask for it: go on without \
                it, or say what is missing.]";
    let noted = |text: &str| match text.is_empty() {
        true => note.to_owned(),
        false => format!("{text}\n{note}"),
    };
    Output {
        text: noted(&output.text),
        shown: output.shown.as_deref().map(noted),
        success: false,
        ..output
    }
}

fn stopped_by_hook(stopped: Stopped) -> Result<Output, Halt> {
    match stopped {
        Stopped::Cancelled => Err(Halt::Cancelled),
        Stopped::Refused { hook, reason } => Ok(refused(format!(
            "The hook {hook:?} stopped the call: {reason}. Do not repeat it; find another way or \
             say what is needed."
        ))),
    }
}

fn refusal(answerer: Answerer, reason: &str) -> Output {
    let who = match answerer {
        Answerer::Person => "The call was refused",
        Answerer::AlwaysYes | Answerer::AlwaysNo => "The call was refused without asking",
    };
    refused(format!(
        "{who}: {reason}. Do not repeat it; find another way or say what is needed."
    ))
}

/// A call that was not allowed to run.
fn refused(text: String) -> Output {
    not_run(text, "permission_denied")
}

/// A call that was not run, and the word that tells programs why.
fn not_run(text: String, category: &str) -> Output {
    Output::failure(text).with_metadata(json!({ "error_category": category }))
}

fn not_json(error: &serde_json::Error) -> Output {
    let text = format!(
        "The arguments of the call are not JSON ({error}). Call the tool again with one JSON object."
    );
    not_run(text, "invalid_input")
}
