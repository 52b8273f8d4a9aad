//! `agent`: sub-agents, started, watched, told more and stopped.

mod shown;

use codewhale_policy::{Act, Demand};
use codewhale_protocol::runtime::{AgentRole, ItemKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::crew::{Halt, Manner, Order, Refusal, Until};
use crate::limits::{AGENT_NAME_BYTES_MAX, AGENT_PROMPT_BYTES_MAX};
use crate::typed::Typed;
use crate::{Context, Output, Prepared, Preview};

/// Starts sub-agents and works with them. A sub-agent is another agent with a conversation of its
/// own: it knows only the prompt you give it, works in the same directory with at most your own
/// permissions, and reports at the end. Use it for work that can be done apart: looking around in
/// a large code base, reviewing, several independent changes. Start them, then `wait` for their
/// reports before you rely on them; they may fail, and their report is their own word.
///
/// `start` needs `prompt`; `status` and `wait` take one `agent_id` or all; `peek`, `message`,
/// `followup`, `interrupt` and `cancel` need `agent_id`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// What to do.
    action: Action,
    /// For `start`: the whole task, with everything the agent must know.
    #[serde(default)]
    prompt: Option<String>,
    /// For `start`: a short name.
    #[serde(default)]
    name: Option<String>,
    /// For `start`: worker (default), builder, custom; scout, planner, reviewer and consultant only
    /// read; verifier runs commands and edits nothing.
    #[serde(default, rename = "type")]
    kind: Option<String>,
    /// For `start`: whether it goes on when this turn is stopped.
    #[serde(default)]
    detached: bool,
    /// Which agent.
    #[serde(default)]
    agent_id: Option<String>,
    /// For `message` (heard while it works) and `followup` (its next task after it ended).
    #[serde(default)]
    message: Option<String>,
    /// For `wait`: completion (default) of one of them, all, or any activity.
    #[serde(default)]
    until: Option<WaitFor>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Action {
    Start,
    Status,
    Peek,
    Message,
    #[serde(alias = "follow_up")]
    Followup,
    Interrupt,
    Wait,
    Cancel,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum WaitFor {
    Completion,
    All,
    Activity,
}

/// A call with everything it needs.
#[derive(Serialize)]
enum Request {
    Start(Order),
    Status(Option<String>),
    Peek(String),
    Say(String, String, Manner),
    Stop(String, Halt),
    Wait(Option<String>, Until),
}

pub(crate) struct Agent;

impl Typed for Agent {
    const NAME: &'static str = "agent";
    const ALIASES: &'static [&'static str] = &[];
    const ACT: Act = Act::Inward;
    const KIND: ItemKind = ItemKind::ToolCall;
    type Input = Input;

    async fn prepare(input: Input, _: &Context) -> Result<Prepared, Output> {
        let request = read(input).map_err(|problem| Output::failure(problem.0))?;
        let description = match &request {
            Request::Start(order) => format!("Start a sub-agent ({})", order.role.as_str()),
            Request::Status(_) | Request::Peek(_) => "Look at sub-agents".to_owned(),
            Request::Say(..) => "Speak to a sub-agent".to_owned(),
            Request::Stop(..) => "Stop a sub-agent".to_owned(),
            Request::Wait(..) => "Wait for sub-agents".to_owned(),
        };
        let preview = Preview {
            description,
            ..Preview::default()
        };
        // What a sub-agent does is judged call by call, like what this one does.
        Ok(Prepared::new(
            Demand::Inward,
            Self::NAME,
            request,
            preview,
            run,
        ))
    }
}

fn read(input: Input) -> Result<Request, Refusal> {
    let filled = |text: Option<String>| {
        let text = text.map(|text| text.trim().to_owned());
        text.filter(|text| !text.is_empty())
    };
    let agent = filled(input.agent_id);
    let named = |agent: Option<String>| {
        agent.ok_or_else(|| Refusal::from("give the `agent_id` of the agent; `status` lists them"))
    };
    let said = |text: Option<String>| {
        let text = filled(text).ok_or_else(|| Refusal::from("give a `message`"))?;
        bounded(text, AGENT_PROMPT_BYTES_MAX, "message")
    };
    Ok(match input.action {
        Action::Start => {
            let prompt = filled(input.prompt)
                .ok_or_else(|| Refusal::from("give a `prompt` that says what it is to do"))?;
            let name = filled(input.name);
            Request::Start(Order {
                prompt: bounded(prompt, AGENT_PROMPT_BYTES_MAX, "prompt")?,
                name: name
                    .map(|name| bounded(name, AGENT_NAME_BYTES_MAX, "name"))
                    .transpose()?,
                role: role(filled(input.kind).as_deref())?,
                detached: input.detached,
            })
        }
        Action::Status => Request::Status(agent),
        Action::Peek => Request::Peek(named(agent)?),
        Action::Message => Request::Say(named(agent)?, said(input.message)?, Manner::Add),
        Action::Followup => {
            let text = input.message.or(input.prompt);
            Request::Say(named(agent)?, said(text)?, Manner::FollowUp)
        }
        Action::Interrupt => Request::Stop(named(agent)?, Halt::Interrupt),
        Action::Cancel => Request::Stop(named(agent)?, Halt::Cancel),
        Action::Wait => Request::Wait(
            agent,
            match input.until {
                None | Some(WaitFor::Completion) => Until::Completion,
                Some(WaitFor::All) => Until::All,
                Some(WaitFor::Activity) => Until::Activity,
            },
        ),
    })
}

fn bounded(text: String, bytes_max: usize, what: &str) -> Result<String, Refusal> {
    match text.len() > bytes_max {
        true => Err(Refusal(format!(
            "the {what} is longer than {bytes_max} bytes; put the rest into a file and name it"
        ))),
        false => Ok(text),
    }
}

fn role(text: Option<&str>) -> Result<AgentRole, Refusal> {
    let Some(text) = text else {
        return Ok(AgentRole::default());
    };
    AgentRole::parse(text).ok_or_else(|| {
        let words: Vec<&str> = AgentRole::ALL.iter().map(|role| role.as_str()).collect();
        Refusal(format!("{text:?} is no type; use {}", words.join(", ")))
    })
}

async fn run(request: Request, context: Context) -> Output {
    let answered = answer(request, &context);
    let answer = tokio::select! {
        biased;
        () = context.cancel.cancelled() => return Output::failure("interrupted"),
        answer = answered => answer,
    };
    answer.unwrap_or_else(|refusal| Output::failure(refusal.0))
}

async fn answer(request: Request, context: &Context) -> Result<Output, Refusal> {
    let agents = &context.agents;
    Ok(match request {
        Request::Start(order) => shown::started(&agents.start(order).await?),
        Request::Status(agent) => shown::reports(&agents.look(agent).await?),
        Request::Peek(agent) => Output::success(agents.peek(agent).await?.join("\n")),
        Request::Say(agent, text, manner) => shown::told(&agents.say(agent, text, manner).await?),
        Request::Stop(agent, halt) => shown::reports(&[agents.stop(agent, halt).await?]),
        Request::Wait(agent, until) => shown::reports(&agents.wait(agent, until).await?),
    })
}

#[cfg(test)]
mod tests;
