//! Questions that wait: each is put to the editor by a task of its own, and taken back when it is
//! settled elsewhere.

use std::collections::BTreeMap;
use std::sync::Arc;

use codewhale_protocol::runtime::{
    ApprovalDecided, ApprovalDecision, ApprovalId, ApprovalRequired, ItemId, PendingApproval,
    PendingUserInput, RuntimeEventEnvelope, UserInputId, UserInputRequired,
};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::Follower;
use crate::wire::{Chunk, ContentBlock, Update};
use crate::{form, permission, question, show};

/// What the editor is being asked.
#[derive(Default)]
pub(super) struct Asking {
    approvals: BTreeMap<ApprovalId, Asked>,
    inputs: BTreeMap<UserInputId, CancellationToken>,
    pub(super) tasks: JoinSet<()>,
}

/// An approval that the editor was asked for.
struct Asked {
    settled: CancellationToken,
    item: Option<ItemId>,
}

impl Asking {
    /// Nothing waits any more.
    pub(super) fn settle_all(&mut self) {
        for asked in std::mem::take(&mut self.approvals).into_values() {
            asked.settled.cancel();
        }
        for settled in std::mem::take(&mut self.inputs).into_values() {
            settled.cancel();
        }
    }

    /// Lets go of those who have asked.
    fn sweep(&mut self) {
        while self.tasks.try_join_next().is_some() {}
    }
}

impl Follower {
    /// Asks what waits for an answer.
    pub(crate) async fn ask_again(
        &mut self,
        approvals: Vec<PendingApproval>,
        inputs: Vec<PendingUserInput>,
    ) {
        for approval in approvals {
            self.ask_approval(approval);
        }
        for input in inputs {
            self.ask_input(input).await;
        }
    }

    pub(super) fn approval_required(
        &mut self,
        required: ApprovalRequired,
        envelope: &RuntimeEventEnvelope,
    ) {
        let theirs = required.asked_by.as_ref().map(|by| &by.turn_id);
        let Some(turn_id) = theirs.or(envelope.turn_id.as_ref()).cloned() else {
            return;
        };
        self.ask_approval(PendingApproval {
            id: required.id,
            turn_id,
            detail: required.detail,
            expires_at: required.expires_at,
            asked_by: required.asked_by,
        });
    }

    fn ask_approval(&mut self, approval: PendingApproval) {
        self.asking.sweep();
        let own = approval.asked_by.is_none();
        let item = self.show.item_of(&approval.detail.call_id).filter(|_| own);
        let item = item.cloned();
        let call = show::asked(&approval, item.as_ref());
        let settled = self.session.closed.child_token();
        let asked = Asked {
            settled: settled.clone(),
            item,
        };
        self.asking.approvals.insert(approval.id.clone(), asked);
        let session = Arc::clone(&self.session);
        self.asking.tasks.spawn(async move {
            permission::ask(&session, &approval, call, &settled).await;
        });
    }

    pub(super) async fn approval_decided(&mut self, decided: &ApprovalDecided) {
        let Some(asked) = self.asking.approvals.remove(&decided.approval_id) else {
            return;
        };
        asked.settled.cancel();
        let allowed = decided.decision == ApprovalDecision::Allow;
        let running = asked
            .item
            .filter(|_| allowed)
            .map(|item| show::running(&item));
        self.tell(running).await;
    }

    pub(super) async fn input_required(
        &mut self,
        required: UserInputRequired,
        envelope: &RuntimeEventEnvelope,
    ) {
        let theirs = required.asked_by.as_ref().map(|by| &by.turn_id);
        let Some(turn_id) = theirs.or(envelope.turn_id.as_ref()).cloned() else {
            return;
        };
        self.ask_input(PendingUserInput {
            id: required.id,
            turn_id,
            request: required.request,
            asked_by: required.asked_by,
        })
        .await;
    }

    async fn ask_input(&mut self, input: PendingUserInput) {
        if !self.session.link.can().shows_forms() {
            let chunk = Chunk {
                content: ContentBlock::text(question::in_words(&input.request)),
                message_id: input.id.to_string(),
            };
            self.tell(Some(Update::AgentMessageChunk(chunk))).await;
            self.session
                .news
                .send_modify(|news| news.questions.push(input));
            return;
        }
        self.asking.sweep();
        let settled = self.session.closed.child_token();
        self.asking.inputs.insert(input.id.clone(), settled.clone());
        let session = Arc::clone(&self.session);
        self.asking.tasks.spawn(async move {
            form::ask(&session, &input, &settled).await;
        });
    }

    pub(super) fn input_settled(&mut self, id: &UserInputId) {
        if let Some(settled) = self.asking.inputs.remove(id) {
            settled.cancel();
        }
        let is_it = |input: &PendingUserInput| input.id == *id;
        self.session
            .news
            .send_modify(|news| news.questions.retain(|it| !is_it(it)));
    }
}
