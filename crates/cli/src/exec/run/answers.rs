//! Answers: what becomes of a question, where nobody else answers it.

use codewhale_protocol::operations::ApprovalsDecide;
use codewhale_protocol::runtime::{ApprovalRequired, ApprovalsDecideParams, SandboxDenied};

use super::super::news::News;
use super::super::progress::Progress;
use super::Run;

impl Run<'_> {
    /// Answers a question, where nobody else does.
    pub(super) async fn answer(&mut self, progress: &mut Progress, asked: ApprovalRequired) {
        let leaves_walls = asked.detail.wider_walls && !self.order.may_leave_walls;
        let (decision, reason) = match (self.order.auto, self.order.is_attended) {
            (true, _) if leaves_walls => {
                self.refuse_walls(progress, &asked);
                (
                    "deny",
                    "no_approver: nothing but --allow-sandbox-elevation lets a command leave its walls here",
                )
            }
            (true, _) => ("allow", "--auto answers every approval with yes"),
            (false, true) => {
                self.out.news(&News::Asked(Box::new(asked)));
                return;
            }
            (false, false) => (
                "deny",
                "no_approver: nobody is there to answer; --auto would say yes",
            ),
        };
        let id = asked.id.to_string();
        match self.decide(&id, decision.to_owned(), Some(reason)).await {
            Ok(()) => progress.refused |= decision == "deny",
            // It was answered by a rule at the moment it was asked.
            Err(problem) => tracing::debug!(problem, "an approval was settled already"),
        }
    }

    fn refuse_walls(&mut self, progress: &mut Progress, asked: &ApprovalRequired) {
        let detail = &asked.detail;
        self.out.news(&News::SandboxDenied(SandboxDenied {
            tool_id: detail.call_id.clone(),
            tool_name: detail.tool_name.clone(),
            reason: detail.reason.clone(),
        }));
        if !std::mem::replace(&mut progress.is_warned, true) {
            eprintln!(
                "note: --auto answers approvals, but does not open the sandbox; --allow-sandbox-elevation does"
            );
        }
    }

    pub(super) async fn decide(
        &self,
        approval: &str,
        decision: String,
        reason: Option<&str>,
    ) -> Result<(), String> {
        let params = ApprovalsDecideParams {
            approval_id: approval.into(),
            decision,
            remember: None,
            reason: reason.map(str::to_owned),
        };
        let decided = self.client.call::<ApprovalsDecide>(params).await;
        decided.map(drop).map_err(|error| error.message)
    }
}
