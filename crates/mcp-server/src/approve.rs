//! Approvals by elicitation: the client asks its person whether a call may run.

use codewhale_protocol::Scope;
use codewhale_protocol::runtime::{ApprovalDetail, ApprovalId, ApprovalRequired};
use codewhale_protocol::service::BoxFuture;
use rmcp::model::{
    ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema, EnumSchema,
    ProtocolVersion,
};
use tokio_util::sync::CancellationToken;

use crate::limits;
use crate::turn::Watch;

/// A question that stands in the client, until it is answered or taken back.
pub(crate) type Asked<'a> = BoxFuture<'a, (ApprovalId, Verdict)>;

/// What the person said.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    Allow,
    Deny,
    /// No answer came.
    Nothing,
}

impl<'a> Watch<'a> {
    /// Puts a question to the person, where the client can; and what takes it back.
    pub(crate) fn question(
        &'a self,
        asked: &ApprovalRequired,
    ) -> Option<(CancellationToken, Asked<'a>)> {
        if !self.can_ask() {
            return None;
        }
        let form = ElicitRequestParams::FormElicitationParams {
            meta: None,
            message: words(&asked.detail),
            requested_schema: schema()?,
        };
        let (approval, cancel) = (asked.id.clone(), CancellationToken::new());
        let taken_back = cancel.clone();
        let question = async move {
            let wait = Some(limits::ELICIT_WAIT);
            let verdict = tokio::select! {
                biased;
                () = taken_back.cancelled() => Verdict::Nothing,
                result = self.context.peer.create_elicitation_with_timeout(form, wait) => match result {
                    Ok(result) => read(&result),
                    Err(error) => {
                        tracing::debug!(%error, "a client could not put a question to its person");
                        Verdict::Nothing
                    }
                },
            };
            (approval, verdict)
        };
        Some((cancel, Box::pin(question)))
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
fn schema() -> Option<ElicitationSchema> {
    let decision = EnumSchema::builder(vec!["allow".to_owned(), "deny".to_owned()])
        .title("Decision")
        .untitled()
        .build();
    ElicitationSchema::builder()
        .required_enum_schema("decision", decision)
        .build()
        .ok()
}

/// A person who does anything but say yes has said no.
fn read(result: &ElicitResult) -> Verdict {
    let content = result.content.as_ref();
    let decision = content.and_then(|it| it.get("decision")?.as_str());
    match (&result.action, decision) {
        (ElicitationAction::Accept, Some("allow")) => Verdict::Allow,
        _ => Verdict::Deny,
    }
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
    use serde_json::json;

    use super::*;

    fn result(action: ElicitationAction, content: Option<serde_json::Value>) -> ElicitResult {
        let mut result = ElicitResult::new(action);
        result.content = content;
        result
    }

    #[test]
    fn only_a_yes_is_a_yes() {
        use ElicitationAction::{Accept, Cancel, Decline};
        let allow = Some(json!({ "decision": "allow" }));
        assert_eq!(read(&result(Accept, allow.clone())), Verdict::Allow);
        let noes = [
            result(Accept, None),
            result(Accept, Some(json!({ "decision": "deny" }))),
            result(Accept, Some(json!({ "decision": true }))),
            result(Accept, Some(json!("allow"))),
            result(Decline, allow.clone()),
            result(Cancel, allow),
        ];
        for no in noes {
            assert_eq!(read(&no), Verdict::Deny, "{no:?}");
        }
    }

    #[test]
    fn the_form_offers_yes_and_no() {
        let schema = serde_json::to_value(schema().unwrap()).unwrap();
        let decision = &schema["properties"]["decision"];
        assert_eq!(decision["enum"], json!(["allow", "deny"]), "{schema}");
        assert_eq!(schema["required"], json!(["decision"]));
    }
}
