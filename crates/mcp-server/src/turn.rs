//! One turn as the client of MCP sees it: progress while it runs, questions, a stop, its end.

use codewhale_client::{Client, Envelopes, form};
use codewhale_protocol::operations::TurnsInterrupt;
use codewhale_protocol::runtime::{
    Event, ItemKind, RuntimeEventEnvelope, Seq, ThreadId, TurnDetail, TurnId, TurnItemRecord,
    TurnRecord, TurnWithThread, TurnsInterruptParams,
};
use codewhale_protocol::service::Cursor;
use codewhale_protocol::{ErrorBody, ErrorCode};
use futures_util::{FutureExt, StreamExt};
use rmcp::RoleServer;
use rmcp::model::{ElicitResult, InputResponses, ProgressNotificationParam};
use rmcp::service::RequestContext;
use tokio::time::{Instant, sleep_until, timeout};

use crate::ask::{Question, QuestionId};
use crate::way::{Outcome, Way};
use crate::{Door, limits};

/// Whoever waits for a turn.
pub(crate) struct Watch<'a> {
    pub(crate) door: &'a Door,
    pub(crate) client: &'a Client,
    pub(crate) context: &'a RequestContext<RoleServer>,
    pub(crate) thread: ThreadId,
}

/// What happened next.
enum Next {
    Event(Box<Option<Result<RuntimeEventEnvelope, ErrorBody>>>),
    /// Something that is dealt with.
    Other,
    /// The end did not come in time.
    GivenUp,
}

impl<'a> Watch<'a> {
    /// Starts a turn and waits for its end.
    pub(crate) async fn run(
        &'a self,
        start: impl Future<Output = Result<TurnWithThread, ErrorBody>>,
    ) -> Result<Outcome, ErrorBody> {
        // Followed first, so that nothing of it is missed.
        let cursor = Cursor {
            after: Seq::ZERO,
            replay_limit: Some(0),
        };
        let events = self.client.follow(self.thread.clone(), cursor).await?;
        let started = start.await?;
        self.go(self.way(started.turn.id, events)).await
    }

    /// Goes on waiting for a turn, with the answers to questions that it was left with.
    pub(crate) async fn run_on(
        &'a self,
        turn: TurnDetail,
        answers: InputResponses,
    ) -> Result<Outcome, ErrorBody> {
        let cursor = Cursor::after(turn.latest_seq);
        let events = self.client.follow(self.thread.clone(), cursor).await?;
        let mut way = self.way(turn.turn.id.clone(), events);
        for item in turn.items {
            way.keep(item);
        }
        if turn.turn.status.is_terminal() {
            return Ok(way.end(turn.turn));
        }
        let approvals = turn.pending_approvals.into_iter();
        let approvals = approvals.map(|it| Question::Approval(it.id, Box::new(it.detail)));
        let inputs = turn.pending_user_inputs.into_iter();
        let inputs = inputs.map(|it| Question::Input(it.id, it.request, it.asked_by));
        for question in approvals.chain(inputs) {
            let said = answers.get(&question.key()).cloned();
            match said.map(serde_json::from_value::<ElicitResult>) {
                Some(Ok(said)) => self.answer(&question, &said).await,
                Some(Err(_)) | None => way.questions.add(question),
            }
        }
        self.go(way).await
    }

    fn way(&self, turn: TurnId, events: Envelopes) -> Way<'a> {
        Way::new(turn, events, self.context.meta.get_progress_token())
    }

    async fn go(&'a self, mut way: Way<'a>) -> Result<Outcome, ErrorBody> {
        let turn = loop {
            let envelope = match way.questions.has_fresh() {
                true => match way.events.next().now_or_never() {
                    Some(envelope) => envelope,
                    None => match way.questions.put(self, &way.turn) {
                        Some(asks) => return Ok(Outcome::Asks(asks)),
                        None => continue,
                    },
                },
                false => match self.next(&mut way).await {
                    Next::Event(envelope) => *envelope,
                    Next::Other => continue,
                    Next::GivenUp => return Err(still_stopping(&way.turn)),
                },
            };
            let envelope = envelope.ok_or_else(cut_off)??;
            if let Some(turn) = self.take(&mut way, &envelope).await {
                break turn;
            }
        };
        std::mem::take(&mut way.questions).take_back().await;
        Ok(way.end(turn))
    }

    async fn next(&'a self, way: &mut Way<'a>) -> Next {
        let is_stopping = way.deadline.is_some();
        tokio::select! {
            biased;
            () = self.left(), if !is_stopping => {
                way.deadline = Some(Instant::now() + limits::STOP_WAIT);
                self.interrupt(&way.turn).await;
                Next::Other
            }
            () = until(way.deadline) => Next::GivenUp,
            () = way.questions.left() => Next::Other,
            envelope = way.events.next() => Next::Event(Box::new(envelope)),
        }
    }

    /// Returns when the client has called the request off, or is gone.
    async fn left(&self) {
        tokio::select! {
            () = self.context.ct.cancelled() => {}
            () = self.door.inner.gone.cancelled() => {}
        }
    }

    async fn interrupt(&self, turn: &TurnId) {
        let params = TurnsInterruptParams {
            thread_id: self.thread.clone(),
            turn_id: turn.clone(),
        };
        // It may have ended by itself meanwhile, which its event tells.
        if let Err(error) = self.client.call::<TurnsInterrupt>(params).await {
            tracing::debug!(%error, %turn, "a turn could not be told to stop");
        }
    }

    /// Takes an event. The turn, once it is over.
    async fn take(
        &'a self,
        way: &mut Way<'a>,
        envelope: &RuntimeEventEnvelope,
    ) -> Option<TurnRecord> {
        let Some(Ok(event)) = envelope.decode() else {
            return None;
        };
        let is_ours = envelope.turn_id.as_ref() == Some(&way.turn);
        match event {
            Event::TurnCompleted(completed) if completed.turn.id == way.turn => {
                return Some(completed.turn);
            }
            Event::ApprovalRequired(asked) => {
                let (id, about) = (&asked.id, &asked.detail.description);
                let line = format!("waits for approval {id}: {about}");
                let question = Question::Approval(asked.id, Box::new(asked.detail));
                way.questions.add(question);
                self.tell(way, line).await;
            }
            Event::ApprovalDecided(decided) => {
                let id = QuestionId::Approval(decided.approval_id.clone());
                way.questions.settle(&id);
                if decided.timeout || decided.expired {
                    way.unanswered.push(decided.approval_id);
                }
            }
            Event::UserInputRequired(asked) => {
                let line = format!("asks: {}", form::message(&asked.request));
                let question = Question::Input(asked.id, asked.request, asked.asked_by);
                way.questions.add(question);
                self.tell(way, line).await;
            }
            Event::UserInputAnswered(answered) => {
                way.questions.settle(&QuestionId::Input(answered.id));
            }
            Event::UserInputCanceled(canceled) => {
                way.questions.settle(&QuestionId::Input(canceled.id));
            }
            Event::ItemStarted(started) if is_ours => {
                if let Some(tool) = started.tool {
                    self.tell(way, format!("calls {}", tool.name)).await;
                }
            }
            Event::ItemCompleted(changed)
            | Event::ItemFailed(changed)
            | Event::ItemInterrupted(changed)
            | Event::ItemCanceled(changed)
                if is_ours =>
            {
                self.take_item(way, changed.item).await;
            }
            _ => {}
        }
        None
    }

    async fn take_item(&self, way: &mut Way<'a>, item: TurnItemRecord) {
        let line = match item.kind {
            ItemKind::AgentMessage | ItemKind::Status | ItemKind::Error => {
                Some(item.summary.clone())
            }
            ItemKind::ToolCall
            | ItemKind::CommandExecution
            | ItemKind::FileChange
            | ItemKind::UserMessage
            | ItemKind::AgentReasoning
            | ItemKind::ContextCompaction => None,
        };
        way.keep(item);
        if let Some(line) = line {
            self.tell(way, line).await;
        }
    }

    /// Tells the client how far the turn is, if it wants to know and reads.
    async fn tell(&self, way: &mut Way<'a>, line: String) {
        let Some(progress) = &mut way.progress else {
            return;
        };
        progress.count += 1.0;
        let notice = ProgressNotificationParam::new(progress.token.clone(), progress.count);
        let sent = self.context.peer.notify_progress(notice.with_message(line));
        if !matches!(timeout(limits::PROGRESS_WAIT, sent).await, Ok(Ok(()))) {
            tracing::debug!(turn = %way.turn, "a client does not take notices of progress");
            way.progress = None;
        }
    }
}

async fn until(deadline: Option<Instant>) {
    match deadline {
        Some(at) => sleep_until(at).await,
        None => std::future::pending().await,
    }
}

fn still_stopping(turn: &TurnId) -> ErrorBody {
    let message = format!("the turn {turn} was told to stop and has not ended yet");
    ErrorBody::new(ErrorCode::Unavailable, message)
}

fn cut_off() -> ErrorBody {
    let message = "the program is ending; the fate of the turn stands in its thread";
    ErrorBody::new(ErrorCode::Unavailable, message)
}
