//! Questions to the person by elicitation: whether a call may run, and what an agent wants to know.

use codewhale_client::form;
use codewhale_protocol::Scope;
use codewhale_protocol::operations::{ApprovalsDecide, UserInputAnswer};
use codewhale_protocol::runtime::{
    ApprovalDetail, ApprovalId, ApprovalsDecideParams, AskedBy, UserInputAnswerParams, UserInputId,
    UserInputRequest,
};
use codewhale_protocol::service::BoxFuture;
use rmcp::model::{
    CancelledNotificationParam, ClientResult, ElicitRequest, ElicitRequestParams, ElicitResult,
    ElicitationAction, ElicitationSchema, ProtocolVersion, ServerRequest,
};
use rmcp::service::PeerRequestOptions;
use serde_json::{Value, json};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::limits;
use crate::turn::Watch;

/// A question that waits for a person.
pub(crate) enum Question {
    /// Whether a call may run.
    Approval(ApprovalId, Box<ApprovalDetail>),
    /// What an agent wants to know.
    Input(UserInputId, UserInputRequest, Option<AskedBy>),
}

/// Which question it is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum QuestionId {
    Approval(ApprovalId),
    Input(UserInputId),
}

/// How the client can put a question to a person who may answer it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AskedHow {
    /// We send it a request.
    Request,
    /// We answer its call with the question, and it calls again with the answer.
    Result,
    /// It cannot.
    NotAtAll,
}

/// A question that stands in the client, until it is answered there or taken back.
pub(crate) type Asked<'a> = BoxFuture<'a, QuestionId>;

impl Question {
    pub(crate) fn id(&self) -> QuestionId {
        match self {
            Self::Approval(id, _) => QuestionId::Approval(id.clone()),
            Self::Input(id, ..) => QuestionId::Input(id.clone()),
        }
    }

    /// The name under which an answer comes back.
    pub(crate) fn key(&self) -> String {
        match self {
            Self::Approval(id, _) => id.to_string(),
            Self::Input(id, ..) => id.to_string(),
        }
    }

    /// The question as a form.
    pub(crate) fn form(&self) -> Option<ElicitRequest> {
        let (message, form) = match self {
            Self::Approval(_, detail) => (words(detail), approval_form()),
            Self::Input(_, request, _) => (in_words(request), form::schema(request)),
        };
        let requested_schema: ElicitationSchema = serde_json::from_value(form)
            .inspect_err(|error| tracing::warn!(%error, "a question makes no form"))
            .ok()?;
        let params = ElicitRequestParams::FormElicitationParams {
            meta: None,
            message,
            requested_schema,
        };
        Some(ElicitRequest::new(params))
    }
}

impl<'a> Watch<'a> {
    /// Puts a question to the person by a request, until `taken_back` fires.
    pub(crate) fn ask(&'a self, question: Question, taken_back: CancellationToken) -> Asked<'a> {
        Box::pin(async move {
            // Without an answer someone else may give one, in the time that is left.
            if let Some(said) = self.elicit(question.form(), &taken_back).await {
                self.answer(&question, &said).await;
            }
            question.id()
        })
    }

    /// Hands on what the person said.
    pub(crate) async fn answer(&self, question: &Question, said: &ElicitResult) {
        let answered = match question {
            Question::Approval(id, _) => {
                let params = ApprovalsDecideParams {
                    approval_id: id.clone(),
                    decision: if is_yes(said) { "allow" } else { "deny" }.to_owned(),
                    remember: Some(false),
                    reason: None,
                };
                self.client.call::<ApprovalsDecide>(params).await.map(drop)
            }
            Question::Input(id, request, asked_by) => {
                let asker = asked_by.as_ref().map(|by| by.thread_id.clone());
                let params = UserInputAnswerParams {
                    thread_id: asker.unwrap_or_else(|| self.thread.clone()),
                    input_id: id.clone(),
                    answers: match (&said.action, &said.content) {
                        (ElicitationAction::Accept, Some(Value::Object(content))) => {
                            form::read(request, content)
                        }
                        _ => form::declined(request),
                    },
                };
                self.client.call::<UserInputAnswer>(params).await.map(drop)
            }
        };
        if let Err(error) = answered {
            tracing::debug!(%error, "a question was settled already");
        }
    }

    /// Shows a form. Nothing, if no answer comes; a form that is taken back leaves the screen too.
    async fn elicit(
        &self,
        form: Option<ElicitRequest>,
        taken_back: &CancellationToken,
    ) -> Option<ElicitResult> {
        let request = ServerRequest::ElicitRequest(form?);
        let peer = &self.context.peer;
        let sent = peer.send_cancellable_request(request, PeerRequestOptions::no_options());
        let mut handle = sent
            .await
            .inspect_err(|error| tracing::debug!(%error, "a question could not be sent"))
            .ok()?;
        let answer = tokio::select! {
            biased;
            () = taken_back.cancelled() => None,
            answer = timeout(limits::ELICIT_WAIT, &mut handle.rx) => Some(answer),
        };
        match answer {
            Some(Ok(Ok(Ok(ClientResult::ElicitResult(result))))) => Some(result),
            Some(Ok(answer)) => {
                tracing::debug!(?answer, "a client could not put a question to its person");
                None
            }
            None | Some(Err(_)) => {
                let reason = Some("the question is settled".to_owned());
                let notice = CancelledNotificationParam::new(Some(handle.id.clone()), reason);
                let sent = timeout(limits::PROGRESS_WAIT, peer.notify_cancelled(notice)).await;
                tracing::debug!(?sent, "a question was taken back");
                None
            }
        }
    }

    pub(crate) fn asked_how(&self) -> AskedHow {
        let capability = self
            .context
            .client_capabilities()
            .and_then(|it| it.elicitation);
        // Before there were two ways, an empty capability meant forms.
        let has_forms = capability.is_some_and(|it| it.form.is_some() || it.url.is_none());
        if !has_forms || !self.client.caller().scopes.contains(Scope::Approve) {
            return AskedHow::NotAtAll;
        }
        // From there on servers send no requests.
        let newest = ProtocolVersion::V_2026_07_28;
        match self.context.protocol_version() {
            Some(version) if version.as_str() >= newest.as_str() => AskedHow::Result,
            Some(_) | None => AskedHow::Request,
        }
    }
}

/// The answers that are open.
fn approval_form() -> Value {
    let decision = json!({ "type": "string", "title": "Decision", "enum": ["allow", "deny"] });
    json!({ "type": "object", "properties": { "decision": decision }, "required": ["decision"] })
}

/// A person who does anything but say yes has said no.
fn is_yes(said: &ElicitResult) -> bool {
    let content = said.content.as_ref();
    let decision = content.and_then(|it| it.get("decision")?.as_str());
    matches!(
        (&said.action, decision),
        (ElicitationAction::Accept, Some("allow"))
    )
}

/// The questions with what may be chosen: not every client shows what stands beside an option.
fn in_words(request: &UserInputRequest) -> String {
    let mut lines = Vec::new();
    for question in &request.questions {
        lines.push(question.question.clone());
        let options = question.options.iter();
        lines.extend(options.map(|it| format!("- {}: {}", it.label, it.description)));
    }
    lines.join("\n")
}

/// What is asked, with everything to decide by.
fn words(detail: &ApprovalDetail) -> String {
    let mut text = format!("{}\n\nTool: {}", detail.description, detail.tool_name);
    let facts = [
        ("Command", detail.command.as_deref()),
        ("Directory", detail.cwd.as_deref()),
        ("File", detail.path.as_deref()),
        ("For", detail.intent_summary.as_deref()),
        ("Change", detail.diff.as_deref()),
    ];
    for (name, fact) in facts {
        if let Some(fact) = fact {
            text.push_str(&format!("\n{name}: {}", shortened(fact)));
        }
    }
    if detail.wider_walls {
        text.push_str("\nIt wants to leave the sandbox.");
    }
    text.push_str(&format!("\n\nAsked because {}.", detail.reason));
    text
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(limits::QUESTION_CHARS_MAX) {
        Some((at, _)) => format!("{} […]", &text[..at]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(action: ElicitationAction, content: Option<Value>) -> ElicitResult {
        let mut result = ElicitResult::new(action);
        result.content = content;
        result
    }

    #[test]
    fn only_a_yes_is_a_yes() {
        use ElicitationAction::{Accept, Cancel, Decline};
        let allow = Some(json!({ "decision": "allow" }));
        assert!(is_yes(&result(Accept, allow.clone())));
        let noes = [
            result(Accept, None),
            result(Accept, Some(json!({ "decision": "deny" }))),
            result(Accept, Some(json!({ "decision": true }))),
            result(Accept, Some(json!("allow"))),
            result(Decline, allow.clone()),
            result(Cancel, allow),
        ];
        for no in noes {
            assert!(!is_yes(&no), "{no:?}");
        }
    }

    #[test]
    fn the_form_offers_yes_and_no() {
        let schema: ElicitationSchema = serde_json::from_value(approval_form()).unwrap();
        assert_eq!(serde_json::to_value(schema).unwrap(), approval_form());
    }
}
