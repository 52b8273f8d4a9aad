//! Questions to the person by elicitation: whether a call may run, and what an agent wants to know.

use codewhale_client::form;
use codewhale_protocol::Scope;
use codewhale_protocol::operations::{ApprovalsDecide, UserInputAnswer};
use codewhale_protocol::runtime::{
    ApprovalDetail, ApprovalId, ApprovalRequired, ApprovalsDecideParams, UserInputAnswerParams,
    UserInputId, UserInputRequest, UserInputRequired,
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
    Approval(Box<ApprovalRequired>),
    /// What an agent wants to know.
    Input(Box<UserInputRequired>),
}

/// Which question it is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum QuestionId {
    Approval(ApprovalId),
    Input(UserInputId),
}

/// A question that stands in the client, until it is answered there or taken back.
pub(crate) type Asked<'a> = BoxFuture<'a, QuestionId>;

impl Question {
    pub(crate) fn id(&self) -> QuestionId {
        match self {
            Self::Approval(asked) => QuestionId::Approval(asked.id.clone()),
            Self::Input(asked) => QuestionId::Input(asked.id.clone()),
        }
    }
}

impl<'a> Watch<'a> {
    /// Puts a question to the person, where the client can, until `taken_back` fires.
    pub(crate) fn ask(
        &'a self,
        question: Question,
        taken_back: CancellationToken,
    ) -> Option<Asked<'a>> {
        if !self.can_ask() {
            return None;
        }
        Some(Box::pin(async move {
            let id = question.id();
            match question {
                Question::Approval(asked) => self.ask_approval(&asked, &taken_back).await,
                Question::Input(asked) => self.ask_input(&asked, &taken_back).await,
            }
            id
        }))
    }

    async fn ask_approval(&self, asked: &ApprovalRequired, taken_back: &CancellationToken) {
        let form = approval_form();
        // Without an answer someone else may give one, in the time that is left.
        let Some(said) = self.elicit(words(&asked.detail), form, taken_back).await else {
            return;
        };
        let params = ApprovalsDecideParams {
            approval_id: asked.id.clone(),
            decision: if is_yes(&said) { "allow" } else { "deny" }.to_owned(),
            remember: Some(false),
            reason: None,
        };
        if let Err(error) = self.client.call::<ApprovalsDecide>(params).await {
            tracing::debug!(%error, "an approval was settled already");
        }
    }

    async fn ask_input(&self, asked: &UserInputRequired, taken_back: &CancellationToken) {
        let (request, form) = (&asked.request, form::schema(&asked.request));
        let Some(said) = self.elicit(in_words(request), form, taken_back).await else {
            return;
        };
        let answers = match (&said.action, &said.content) {
            (ElicitationAction::Accept, Some(Value::Object(content))) => {
                form::read(request, content)
            }
            _ => form::declined(request),
        };
        let asker = asked.asked_by.as_ref().map(|by| by.thread_id.clone());
        let params = UserInputAnswerParams {
            thread_id: asker.unwrap_or_else(|| self.thread.clone()),
            input_id: asked.id.clone(),
            answers,
        };
        if let Err(error) = self.client.call::<UserInputAnswer>(params).await {
            tracing::debug!(%error, "a question was settled already");
        }
    }

    /// Shows a form. Nothing, if no answer comes; a form that is taken back leaves the screen too.
    async fn elicit(
        &self,
        message: String,
        form: Value,
        taken_back: &CancellationToken,
    ) -> Option<ElicitResult> {
        let requested_schema: ElicitationSchema = serde_json::from_value(form)
            .inspect_err(|error| tracing::warn!(%error, "a question makes no form"))
            .ok()?;
        let form = ElicitRequestParams::FormElicitationParams {
            meta: None,
            message,
            requested_schema,
        };
        let request = ServerRequest::ElicitRequest(ElicitRequest::new(form));
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

    /// Whether the client can put questions to a person who may answer them.
    fn can_ask(&self) -> bool {
        let capability = self
            .context
            .client_capabilities()
            .and_then(|it| it.elicitation);
        // Before there were two ways, an empty capability meant forms.
        let has_forms = capability.is_some_and(|it| it.form.is_some() || it.url.is_none());
        // Later versions have no requests from servers to clients.
        let newest = ProtocolVersion::V_2026_07_28;
        let version = self.context.protocol_version();
        let has_requests = version.is_none_or(|it| it.as_str() < newest.as_str());
        has_forms && has_requests && self.client.caller().scopes.contains(Scope::Approve)
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
