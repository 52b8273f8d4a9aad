//! Approvals: the editor is asked beside everyone else, and the first answer wins.

use codewhale_protocol::operations::ApprovalsDecide;
use codewhale_protocol::runtime::{ApprovalDetail, ApprovalsDecideParams, PendingApproval};
use codewhale_protocol::{ErrorBody, ErrorCode, ReviewDecision};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::peer::Unanswered;
use crate::session::Session;
use crate::wire::{
    PermissionAnswer, PermissionKind, PermissionOption, PermissionOutcome, ToolCall,
};

/// What the person answered, in the words of the service.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Choice {
    id: &'static str,
    decision: &'static str,
    remember: bool,
}

const ALLOW_ONCE: Choice = Choice {
    id: "allow_once",
    decision: "allow",
    remember: false,
};
const ALLOW_ALWAYS: Choice = Choice {
    id: "allow_always",
    decision: "allow",
    remember: true,
};
const ALLOW_SESSION: Choice = Choice {
    id: "allow_session",
    decision: "approved_for_session",
    remember: false,
};
const REJECT_ONCE: Choice = Choice {
    id: "reject_once",
    decision: "deny",
    remember: false,
};
const REJECT_ALWAYS: Choice = Choice {
    id: "reject_always",
    decision: "deny",
    remember: true,
};

/// Asks the editor, and hands its answer on. Ends without one when `settled` fires: somebody else has
/// answered, or the turn is over.
pub(crate) async fn ask(
    session: &Session,
    approval: &PendingApproval,
    call: ToolCall,
    settled: &CancellationToken,
) {
    let offered = offered(&approval.detail);
    let options: Vec<_> = offered.iter().map(|(_, option)| option).collect();
    let params = json!({
        "sessionId": session.id,
        "toolCall": call,
        "options": options,
    });
    let peer = &session.link.peer;
    let answer = peer
        .ask("session/request_permission", params, settled)
        .await;
    let choice = match answer {
        Ok(PermissionAnswer { outcome }) => match outcome {
            PermissionOutcome::Selected { option_id } => {
                let mut chosen = offered.iter().map(|(choice, _)| *choice);
                // What was not offered was not granted.
                chosen.find(|it| it.id == option_id).unwrap_or(REJECT_ONCE)
            }
            // Said along with `session/cancel`, which ends the turn. Whoever does not stop it has
            // not said yes.
            PermissionOutcome::Cancelled => REJECT_ONCE,
        },
        Err(Unanswered::TakenBack | Unanswered::Gone) => return,
        // Somebody at another door may still answer a client that cannot be asked.
        Err(Unanswered::Refused(error)) if error.is_unknown_method() => return,
        Err(Unanswered::Refused(_) | Unanswered::Unreadable(_)) => REJECT_ONCE,
    };
    let params = ApprovalsDecideParams {
        approval_id: approval.id.clone(),
        decision: choice.decision.to_owned(),
        remember: choice.remember.then_some(true),
        reason: None,
    };
    let decided = session.link.client.call::<ApprovalsDecide>(params).await;
    match decided {
        Ok(_) => {}
        // Who has answered must know that it does not count.
        Err(error) if is_elsewhere(&error) => {
            session.say(approval.id.as_str(), error.message).await
        }
        // Someone was faster; everyone sees which answer counts.
        Err(error) if matches!(error.code, ErrorCode::Conflict | ErrorCode::NotFound) => {}
        Err(error) => tracing::warn!(%error, "an answer of the editor was not taken"),
    }
}

/// Whether the turn that waits is another process's.
fn is_elsewhere(error: &ErrorBody) -> bool {
    let data = error.data.as_ref();
    error.code == ErrorCode::Conflict && data.is_some_and(|data| data.get("owner_id").is_some())
}

/// The answers that are open, with what they would lay down.
fn offered(detail: &ApprovalDetail) -> Vec<(Choice, PermissionOption)> {
    let mut offered = Vec::new();
    let mut offer = |choice: Choice, name: String, kind: PermissionKind| {
        let option_id = choice.id;
        let option = PermissionOption {
            option_id,
            name,
            kind,
        };
        offered.push((choice, option));
    };
    let for_session = ReviewDecision::ApprovedForSession;
    offer(
        ALLOW_ONCE,
        "Allow once".to_owned(),
        PermissionKind::AllowOnce,
    );
    if let Some(rule) = &detail.remembered_as {
        let name = format!("Always allow: {rule}");
        offer(ALLOW_ALWAYS, name, PermissionKind::AllowAlways);
    } else if detail.available_decisions.contains(&for_session) {
        let name = "Allow in this session".to_owned();
        offer(ALLOW_SESSION, name, PermissionKind::AllowAlways);
    }
    offer(REJECT_ONCE, "Reject".to_owned(), PermissionKind::RejectOnce);
    if let Some(rule) = &detail.remembered_as {
        let name = format!("Always reject: {rule}");
        offer(REJECT_ALWAYS, name, PermissionKind::RejectAlways);
    }
    offered
}
