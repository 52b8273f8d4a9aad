//! Settling approvals: the first answer wins, and everyone else is told which it was.

use std::sync::Arc;

use codewhale_engine::Answer;
use codewhale_policy::{Action, Rule};
use codewhale_protocol::runtime::{
    ApprovalAnswer, ApprovalDecided, ApprovalDecision, ApprovalId, ApprovalReceipt, ApprovalRecord,
    ApprovalStatus, ApprovalTimeout, Event, Timestamp,
};
use codewhale_protocol::{Caller, NetworkPolicyRuleAction, Scope};
use codewhale_store::{Batch, Durability, Guard, Stamp};

use super::{Stopping, ThreadActor};
use crate::Error;
use crate::agents::tell;
use crate::gate::require_scope;
use crate::host::{Desk, Pending};

/// How an approval is settled.
pub(super) struct Settlement<'a> {
    pub(super) decision: ApprovalDecision,
    pub(super) status: ApprovalStatus,
    pub(super) by: &'a Arc<Stamp>,
    pub(super) reason: Option<&'a str>,
    pub(super) remember: bool,
    pub(super) timeout: bool,
}

impl<'a> Settlement<'a> {
    /// Settled by an act of someone that was not an answer to the question.
    pub(super) fn decided(decision: ApprovalDecision, by: &'a Arc<Stamp>, reason: &'a str) -> Self {
        Self {
            decision,
            status: ApprovalStatus::Decided,
            by,
            reason: Some(reason),
            remember: false,
            timeout: false,
        }
    }
}

/// Adds the end of an approval to a batch.
pub(super) fn settle(
    batch: &mut Batch,
    desk: &Desk,
    record: &ApprovalRecord,
    settlement: &Settlement<'_>,
    now: Timestamp,
) {
    batch.guard(Guard::ApprovalPending {
        id: record.id.clone(),
    });
    let event = Event::ApprovalDecided(ApprovalDecided {
        approval_id: record.id.clone(),
        decision: settlement.decision,
        remember: settlement.remember,
        auto: settlement.reason.is_some(),
        timeout: settlement.timeout,
        expired: false,
        posture: None,
    });
    tell(
        batch,
        desk.about(None, now, settlement.by),
        desk.root.as_ref(),
        &event,
    );
    batch.settle_approval(&ApprovalRecord {
        status: settlement.status,
        decision: Some(settlement.decision),
        remember: settlement.remember,
        decided_by: Some(settlement.by.actor.clone()),
        decided_at: Some(now),
        decided_reason: settlement.reason.map(str::to_owned),
        ..record.clone()
    });
}

impl ThreadActor {
    /// Takes a person's answer, or that of a program, which says why.
    pub(super) async fn decide(
        &mut self,
        caller: &Caller,
        id: &ApprovalId,
        (answer, remember, reason): (ApprovalAnswer, bool, Option<String>),
    ) -> Result<ApprovalReceipt, Error> {
        // A standing rule loosens what comes later.
        let lasts = remember && answer.decision() == ApprovalDecision::Allow;
        if lasts
            || matches!(
                answer,
                ApprovalAnswer::AllowPrefixes | ApprovalAnswer::AllowHosts
            )
        {
            require_scope(caller, Scope::Admin)?;
        }
        let by = self.core.caller_stamp(caller);
        let settlement = Settlement {
            decision: answer.decision(),
            status: ApprovalStatus::Decided,
            by: &by,
            reason: reason.as_deref(),
            remember,
            timeout: false,
        };
        let reply = match answer {
            ApprovalAnswer::Allow
            | ApprovalAnswer::AllowForSession
            | ApprovalAnswer::AllowPrefixes
            | ApprovalAnswer::AllowHosts => Answer::Yes,
            ApprovalAnswer::Deny => {
                let no = reason.as_deref().unwrap_or("the user said no");
                Answer::No(no.to_owned())
            }
            // The model is not told: there is nothing more for it to say.
            ApprovalAnswer::Abort => Answer::Stop,
        };
        let turn = self.settle_pending(id, &settlement, reply, answer).await?;
        if answer == ApprovalAnswer::Abort {
            self.interrupt(&turn, by, Stopping::ForNow).await?;
        }
        Ok(ApprovalReceipt {
            ok: true,
            approval_id: id.clone(),
            decision: answer.decision(),
            delivered: true,
        })
    }

    /// The time of an approval has run out.
    pub(super) async fn expire(&mut self, id: &ApprovalId) {
        let by = self.core.system_stamp("approval-timeout");
        let patience = self.active.as_ref().map(|active| active.desk.patience);
        let seconds = patience.unwrap_or(self.core.approval_timeout).as_secs();
        let reason = format!("nobody answered within {seconds} seconds");
        let settlement = Settlement {
            decision: ApprovalDecision::Deny,
            status: ApprovalStatus::Expired,
            by: &by,
            reason: Some(&reason),
            remember: false,
            timeout: true,
        };
        let answer = Answer::No(reason.clone());
        match self
            .settle_pending(id, &settlement, answer, ApprovalAnswer::Deny)
            .await
        {
            // An answer came in the same moment: it has won.
            Ok(_) | Err(Error::Settled(_) | Error::NotFound { .. }) => {}
            // It goes on waiting, and is told again.
            Err(error) => {
                tracing::error!(%error, "the end of an approval could not be written down");
            }
        }
    }

    async fn settle_pending(
        &mut self,
        id: &ApprovalId,
        settlement: &Settlement<'_>,
        reply: Answer,
        answer: ApprovalAnswer,
    ) -> Result<codewhale_protocol::runtime::TurnId, Error> {
        let desk = self.active.as_ref().map(|active| Arc::clone(&active.desk));
        let waiting = desk
            .as_ref()
            .and_then(|desk| desk.state().pending.remove(id));
        let (Some(desk), Some(waiting)) = (desk, waiting) else {
            return Err(self.why_not_pending(id)?);
        };
        let now = self.core.env.now();
        let mut batch = self.batch(Durability::Synced);
        if settlement.timeout {
            let event = Event::ApprovalTimeout(ApprovalTimeout {
                approval_id: id.clone(),
                timeout_secs: desk.patience.as_secs(),
            });
            let about = desk.about(None, now, settlement.by);
            tell(&mut batch, about, desk.root.as_ref(), &event);
        }
        settle(&mut batch, &desk, &waiting.record, settlement, now);
        if let Err(error) = self.commit(batch).await {
            desk.state().pending.insert(id.clone(), waiting);
            return Err(error.into());
        }
        let rules = rules_of(
            &waiting,
            answer,
            settlement.remember,
            &self.state.thread.workspace,
        );
        if let Err(error) = self.core.rules.remember(&rules).await {
            tracing::error!(%error, "a rule counts until the end, but could not be written down");
        }
        if answer == ApprovalAnswer::AllowForSession {
            let mut grants = self
                .session_grants
                .lock()
                .expect("nothing panics while it holds the grants");
            grants.insert(waiting.record.detail.digest.clone());
        }
        let _ = waiting.reply.send(reply);
        Ok(desk.turn.clone())
    }

    /// An approval that does not wait here: settled before, unknown, or another process's.
    fn why_not_pending(&self, id: &ApprovalId) -> Result<Error, Error> {
        let record = self.core.store.read(|reader| reader.approval(id))?;
        Ok(match record {
            None => Error::NotFound { what: "approval" },
            Some(record) if record.status != ApprovalStatus::Pending => {
                Error::Settled(Box::new(record))
            }
            Some(_) => {
                let lease = self.core.store.read(|reader| reader.lease(&self.id))?;
                let owner = lease.owner.ok_or(Error::NotFound { what: "approval" })?;
                let row = self.core.store.read(|reader| reader.owner(&owner))?;
                Error::OwnedElsewhere {
                    pid: row.map_or(0, |row| row.pid),
                    owner,
                }
            }
        })
    }
}

/// What an answer lays down: for this workspace only, and no more than was shown.
fn rules_of(
    waiting: &Pending,
    answer: ApprovalAnswer,
    remember: bool,
    workspace: &str,
) -> Vec<Rule> {
    let detail = &waiting.record.detail;
    let allow =
        |command: &str| Rule::prefix(&detail.tool_name, command, Action::Allow).within(workspace);
    match answer {
        ApprovalAnswer::Allow if remember => waiting.remembering.iter().cloned().collect(),
        ApprovalAnswer::Deny if remember => {
            let refused = waiting.remembering.iter().cloned();
            let deny = |rule| Rule {
                action: Action::Deny,
                ..rule
            };
            refused.map(deny).collect()
        }
        ApprovalAnswer::AllowPrefixes => {
            let prefixes = detail.proposed_execpolicy_amendment.iter();
            prefixes.map(|prefix| allow(prefix)).collect()
        }
        ApprovalAnswer::AllowHosts => {
            let hosts = detail.proposed_network_policy_amendments.iter();
            let open = hosts.filter(|it| it.action == NetworkPolicyRuleAction::Allow);
            open.map(|it| allow(&it.host)).collect()
        }
        ApprovalAnswer::Allow
        | ApprovalAnswer::AllowForSession
        | ApprovalAnswer::Deny
        | ApprovalAnswer::Abort => Vec::new(),
    }
}
