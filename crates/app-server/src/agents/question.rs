//! Questions that keep a run waiting: approvals, and questions of the agent. The protocol knows one
//! kind of waiting, for a message; so what is asked is told as one, for people and for programs, and
//! the message that comes back decides.

use codewhale_protocol::ext::{FREE_TEXT_LABEL, UserInputAnswer};
use codewhale_protocol::runtime::{
    ApprovalAnswer, ApprovalId, ApprovalsDecideParams, PendingApproval, PendingUserInput, ThreadId,
    Timestamp, UserInputAnswerParams, UserInputId,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::message::{Given, Message, Part, refused};
use crate::error::Failure;

/// Something a run waits for.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Question {
    /// May a call run?
    Approval(Box<PendingApproval>),
    /// What does the person want?
    Input(Box<PendingUserInput>),
}

/// What a run that waits is told to wait for.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
#[schemars(rename = "MessageAwaitRequest")]
pub(super) struct Awaited {
    /// Always `message`.
    #[serde(rename = "type")]
    kind: &'static str,
    /// What is asked: in words, and as a part of JSON under the name of its kind.
    message: Message,
}

/// What a program may send instead of a word.
#[derive(Deserialize)]
struct Decision {
    decision: String,
    #[serde(default)]
    approval_id: Option<ApprovalId>,
    #[serde(default)]
    remember: Option<bool>,
}

#[derive(Deserialize)]
struct Answers {
    answers: Vec<UserInputAnswer>,
    #[serde(default)]
    input_id: Option<UserInputId>,
}

/// What a message that came back means.
#[derive(Debug)]
pub(super) enum Answer {
    /// To an approval.
    Decide(ApprovalsDecideParams),
    /// To questions of the agent.
    Tell(UserInputAnswerParams),
}

impl Question {
    /// The id under which it is answered.
    pub(super) fn id(&self) -> &str {
        match self {
            Question::Approval(asked) => asked.id.as_str(),
            Question::Input(asked) => asked.id.as_str(),
        }
    }

    /// The question as the protocol tells it.
    pub(super) fn awaited(&self, role: &str, at: Timestamp) -> Awaited {
        let parts = match self {
            Question::Approval(asked) => {
                let mut text = asked.detail.description.clone();
                let command = asked.detail.command.as_deref();
                if let Some(command) = command.filter(|command| !text.contains(command)) {
                    text.push_str(&format!("\n\n{command}"));
                }
                text.push_str("\n\nAnswer allow or deny.");
                vec![Part::text(text), Part::data("approval", &json!(asked))]
            }
            Question::Input(asked) => {
                let questions = asked.request.questions.iter().map(|question| {
                    let options = question.options.iter().map(|option| option.label.as_str());
                    let options: Vec<&str> = options.collect();
                    format!("{} ({})", question.question, options.join(", "))
                });
                let text = questions.collect::<Vec<_>>().join("\n");
                vec![Part::text(text), Part::data("user_input", &json!(asked))]
            }
        };
        let message = Message {
            role: role.to_owned(),
            parts,
            created_at: Some(at),
            completed_at: Some(at),
        };
        Awaited {
            kind: "message",
            message,
        }
    }

    /// Reads a message as the answer to this question.
    pub(super) fn answer(&self, message: &Given, thread: &ThreadId) -> Result<Answer, Failure> {
        match self {
            Question::Approval(asked) => decide(asked, message).map(Answer::Decide),
            Question::Input(asked) => {
                let answers = answers(asked, message)?;
                if let Some(problem) = asked.request.problem_with(&answers) {
                    return Err(refused(problem));
                }
                Ok(Answer::Tell(UserInputAnswerParams {
                    thread_id: thread.clone(),
                    input_id: asked.id.clone(),
                    answers,
                }))
            }
        }
    }
}

fn decide(asked: &PendingApproval, message: &Given) -> Result<ApprovalsDecideParams, Failure> {
    let decision = match message.data()? {
        Some(data) => serde_json::from_value(data).map_err(|error| {
            refused(format!(
                "the answer does not fit: {error}; send {{\"decision\": \"allow\"}} or \"deny\""
            ))
        })?,
        None => Decision {
            decision: message.text()?.to_ascii_lowercase(),
            approval_id: None,
            remember: None,
        },
    };
    if decision.approval_id.is_some_and(|id| id != asked.id) {
        return Err(another(asked.id.as_str()));
    }
    if ApprovalAnswer::parse(&decision.decision).is_none() {
        return Err(refused(format!(
            "{:?} decides nothing: answer allow, deny, approved_for_session or abort",
            decision.decision
        )));
    }
    Ok(ApprovalsDecideParams {
        approval_id: asked.id.clone(),
        decision: decision.decision,
        remember: decision.remember,
        reason: None,
    })
}

/// Answers as they were sent, or the one answer that a text is.
fn answers(asked: &PendingUserInput, message: &Given) -> Result<Vec<UserInputAnswer>, Failure> {
    if let Some(data) = message.data()? {
        let sent: Answers = serde_json::from_value(data).map_err(|error| {
            refused(format!(
                "the answer does not fit: {error}; send {{\"answers\": [{{\"id\", \"label\", \"value\"}}]}}"
            ))
        })?;
        if sent.input_id.is_some_and(|id| id != asked.id) {
            return Err(another(asked.id.as_str()));
        }
        return Ok(sent.answers);
    }
    let [question] = asked.request.questions.as_slice() else {
        let message = "several things are asked; answer them in a part of JSON: \
            {\"answers\": [{\"id\", \"label\", \"value\"}]}";
        return Err(refused(message.to_owned()));
    };
    let text = message.text()?;
    let mut options = question.options.iter();
    let chosen = options.find(|option| option.label.eq_ignore_ascii_case(&text));
    let label = chosen.map_or(FREE_TEXT_LABEL, |option| &option.label);
    Ok(vec![UserInputAnswer {
        id: question.id.clone(),
        label: label.to_owned(),
        value: chosen.map_or(text, |option| option.label.clone()),
    }])
}

fn another(id: &str) -> Failure {
    refused(format!("the run waits for the answer to {id}; answer that"))
}
