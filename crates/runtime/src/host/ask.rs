//! Questions: an approval is written down before it is shown, and answered once.

use std::sync::Arc;

use codewhale_engine::{Answer, Question};
use codewhale_policy::{Amendments, Answerer, Rule};
use codewhale_protocol::ReviewDecision;
use codewhale_protocol::operations::Role;
use codewhale_protocol::runtime::{
    ApprovalDecided, ApprovalDecision, ApprovalDetail, ApprovalId, ApprovalRecord,
    ApprovalRequired, ApprovalStatus, Event, PermissionPosture, Timestamp,
};
use codewhale_store::Durability;
use tokio::sync::oneshot;

use super::{Pending, TurnHost};
use crate::actor::Command;
use crate::agents::tell;
use crate::limits;

/// An answer that needs no person.
struct Automatic {
    decision: ApprovalDecision,
    posture: Option<PermissionPosture>,
    reason: &'static str,
}

impl TurnHost {
    pub(super) async fn put_question(&self, question: Question) -> Answer {
        let record = self.approval(&question);
        match self.automatic(&question) {
            Some(automatic) => self.answer_at_once(record, &automatic).await,
            None => self.wait_for_person(record, question.remembering).await,
        }
    }

    fn automatic(&self, question: &Question) -> Option<Automatic> {
        let granted = || {
            let grants = self.desk.session_grants.lock();
            grants
                .expect("nothing panics while it holds the grants")
                .contains(&question.digest)
        };
        match question.answerer {
            Answerer::AlwaysYes => Some(Automatic {
                decision: ApprovalDecision::Allow,
                posture: Some(PermissionPosture::FullAccess),
                reason: "full access",
            }),
            Answerer::AlwaysNo => Some(Automatic {
                decision: ApprovalDecision::Deny,
                posture: Some(PermissionPosture::AutoReview),
                reason: "in auto-review nobody is asked, and this cannot be proven safe",
            }),
            Answerer::Person if granted() => Some(Automatic {
                decision: ApprovalDecision::Allow,
                posture: None,
                reason: "allowed for this session",
            }),
            Answerer::Person => None,
        }
    }

    async fn answer_at_once(&self, record: ApprovalRecord, automatic: &Automatic) -> Answer {
        let desk = &self.desk;
        let now = record.created_at;
        let mut batch = desk.batch(Durability::Synced);
        let root = desk.root.as_ref();
        let talker = Arc::clone(&desk.agents().talker);
        let about = desk.about(None, now, &talker);
        tell(&mut batch, about, root, &required(&record));
        let event = Event::ApprovalDecided(ApprovalDecided {
            approval_id: record.id.clone(),
            decision: automatic.decision,
            remember: false,
            auto: true,
            timeout: false,
            expired: false,
            posture: automatic.posture,
        });
        let by = desk.core.system_stamp("policy");
        tell(&mut batch, desk.about(None, now, &by), root, &event);
        batch.settle_approval(&ApprovalRecord {
            status: ApprovalStatus::Decided,
            decision: Some(automatic.decision),
            decided_by: Some(by.actor.clone()),
            decided_at: Some(now),
            decided_reason: Some(automatic.reason.to_owned()),
            ..record
        });
        match (desk.core.store.commit(batch).await, automatic.decision) {
            (Ok(_), ApprovalDecision::Allow) => Answer::Yes,
            (Ok(_), ApprovalDecision::Deny) => Answer::No(automatic.reason.to_owned()),
            (Err(error), _) => {
                tracing::error!(%error, "an approval could not be written down");
                Answer::No("the store could not keep the approval".to_owned())
            }
        }
    }

    async fn wait_for_person(&self, record: ApprovalRecord, remembering: Option<Rule>) -> Answer {
        let desk = &self.desk;
        let (reply, mut answer) = oneshot::channel();
        let (id, now) = (record.id.clone(), record.created_at);
        let mut batch = desk.batch(Durability::Synced);
        batch.put_approval(&record);
        let talker = Arc::clone(&desk.agents().talker);
        let about = desk.about(None, now, &talker);
        tell(&mut batch, about, desk.root.as_ref(), &required(&record));
        // It can be answered as soon as anyone sees it, so it must be on the desk before that.
        let waiting = Pending {
            record,
            remembering,
            reply,
        };
        desk.state().pending.insert(id.clone(), waiting);
        if let Err(error) = desk.core.store.commit(batch).await {
            tracing::error!(%error, "an approval could not be written down");
            desk.state().pending.remove(&id);
            return Answer::No("the store could not keep the approval".to_owned());
        }
        let mut wait = desk.patience;
        loop {
            tokio::select! {
                biased;
                answer = &mut answer => return answer.unwrap_or(Answer::Stop),
                () = tokio::time::sleep(wait) => {}
            }
            // The actor decides, because an answer may be on its way to it at this moment. It is
            // told again for as long as the store cannot take the end of the question.
            let approval = id.clone();
            if self.actor.send(Command::Expire { approval }).await.is_err() {
                return Answer::Stop;
            }
            wait = limits::EXPIRE_RETRY;
        }
    }

    fn approval(&self, question: &Question) -> ApprovalRecord {
        let desk = &self.desk;
        let now = desk.core.env.now();
        let preview = &question.preview;
        ApprovalRecord {
            id: ApprovalId::new(desk.core.env.uuid()),
            thread_id: desk.thread.clone(),
            turn_id: desk.turn.clone(),
            detail: ApprovalDetail {
                tool_name: question.tool_name.clone(),
                call_id: question.call_id.clone(),
                description: preview.description.clone(),
                intent_summary: None,
                command: preview.command.clone(),
                cwd: preview.cwd.clone(),
                path: preview.path.clone(),
                diff: preview.diff.clone(),
                reason: question.reason.clone(),
                matched_rule: Some(question.matched_rule.clone()),
                proposed_execpolicy_amendment: question.amendments.prefixes.clone(),
                proposed_network_policy_amendments: question.amendments.network.clone(),
                wider_walls: question.wider_walls,
                remembered_as: question.remembering.as_ref().map(Rule::label),
                digest: question.digest.clone(),
                available_decisions: decisions(&question.amendments),
            },
            requested_by: desk.agents().talker.actor.clone(),
            needed_role: Role::Approver.as_str().to_owned(),
            needed_count: 1,
            taint: Vec::new(),
            created_at: now,
            expires_at: expiry(now, desk.patience),
            status: ApprovalStatus::Pending,
            decision: None,
            remember: false,
            decided_by: None,
            decided_at: None,
            decided_seq: None,
            decided_reason: None,
        }
    }
}

/// The answers that are open, in the order to offer them.
fn decisions(amendments: &Amendments) -> Vec<ReviewDecision> {
    let mut open = vec![
        ReviewDecision::Approved,
        ReviewDecision::ApprovedForSession,
        ReviewDecision::Denied,
        ReviewDecision::Abort,
    ];
    if !amendments.prefixes.is_empty() {
        open.push(ReviewDecision::ApprovedExecpolicyAmendment);
    }
    let hosts = amendments.network.iter().cloned();
    open.extend(hosts.map(|it| ReviewDecision::NetworkPolicyAmendment {
        host: it.host,
        action: it.action,
    }));
    open
}

fn required(record: &ApprovalRecord) -> Event {
    Event::ApprovalRequired(ApprovalRequired {
        id: record.id.clone(),
        approval_id: record.id.clone(),
        detail: record.detail.clone(),
        expires_at: record.expires_at,
        asked_by: None,
    })
}

fn expiry(now: Timestamp, timeout: std::time::Duration) -> Timestamp {
    now.plus_ms(u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX))
}
