//! The story of a run: events of a turn in, events of the protocol out. Pure, so that the same log
//! tells the same story whoever reads it and whenever.

use codewhale_protocol::runtime::{
    AskedBy, Event as Happened, ItemId, ItemKind, PendingApproval, PendingUserInput,
    RuntimeEventEnvelope, TurnDetail, TurnId, TurnItemRecord, TurnRecord, UserInputAnswered,
    UserInputCanceled,
};
use serde_json::{Map, Value};

use super::event::Event;
use super::manifest::Agent;
use super::message::{Message, Part};
use super::question::Question;
use super::run::{Run, Status};
use crate::error::Failure;

/// A run as far as it has been told.
pub(super) struct Story {
    run: Run,
    role: String,
    /// What the run waits for; the first is the one that is told.
    questions: Vec<Question>,
    /// Whether that first one is still to be told: it may be answered with the next event.
    held: bool,
    /// Items in the order they began, each with what it said.
    said: Vec<(ItemId, Option<Message>)>,
    /// The message that is being told. Messages have no names here, so they do not overlap.
    open: Option<ItemId>,
    /// Messages that ended meanwhile.
    waiting: Vec<Message>,
    told: Vec<Event>,
}

impl Story {
    /// The beginning: the run was accepted and is taken up.
    pub(super) fn new(detail: &TurnDetail) -> Result<Self, Failure> {
        let run = Run::begun(&detail.turn, &Agent::of(&detail.thread, &detail.turn))?;
        let mut story = Self {
            role: run.role(),
            run,
            questions: Vec::new(),
            held: false,
            said: Vec::new(),
            open: None,
            waiting: Vec::new(),
            told: Vec::new(),
        };
        let run = Box::new(story.run());
        story.told.push(Event::RunCreated { run });
        story.run.status = Status::InProgress;
        let run = Box::new(story.run());
        story.told.push(Event::RunInProgress { run });
        Ok(story)
    }

    /// The run as it stands.
    pub(super) fn run(&self) -> Run {
        let output = self.said.iter().filter_map(|(_, said)| said.clone());
        Run {
            output: output.collect(),
            ..self.run.clone()
        }
    }

    /// What was told since the last time.
    pub(super) fn told(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.told)
    }

    /// Whether the run does not go on by itself.
    pub(super) fn rests(&self) -> bool {
        match self.run.status {
            Status::Created | Status::InProgress | Status::Cancelling => false,
            Status::Awaiting | Status::Cancelled | Status::Completed | Status::Failed => true,
        }
    }

    /// What the run is told to wait for.
    pub(super) fn question(&self) -> Option<&Question> {
        let waits = self.run.status == Status::Awaiting;
        self.questions.first().filter(|_| waits)
    }

    /// The question that is still to be told, if there is one.
    pub(super) fn holds(&self) -> Option<&Question> {
        self.questions.first().filter(|_| self.held)
    }

    /// Tells the question that is held back: nothing answers it by itself.
    pub(super) fn release(&mut self) {
        if std::mem::take(&mut self.held) && self.run.status == Status::InProgress {
            self.run.status = Status::Awaiting;
            let run = Box::new(self.run());
            self.told.push(Event::RunAwaiting { run });
        }
    }

    /// Takes what happened next in the turn.
    pub(super) fn take(&mut self, event: Happened, envelope: &RuntimeEventEnvelope) {
        // A rule that answers does so in the same breath; then nobody is asked.
        let by_itself = matches!(&event, Happened::ApprovalDecided(decided) if decided.auto);
        if !by_itself {
            self.release();
        }
        match event {
            Happened::ItemStarted(started) => self.item_started(&started.item),
            Happened::ItemDelta(delta) => {
                if self.open.is_some() && self.open == envelope.item_id {
                    let part = Part::text(delta.delta);
                    self.told.push(Event::MessagePart { part });
                }
            }
            Happened::ItemCompleted(changed)
            | Happened::ItemFailed(changed)
            | Happened::ItemInterrupted(changed)
            | Happened::ItemCanceled(changed) => self.item_ended(&changed.item),
            Happened::ApprovalRequired(required) => {
                let asked = PendingApproval {
                    id: required.id,
                    turn_id: self.asker(required.asked_by.as_ref()),
                    detail: required.detail,
                    expires_at: required.expires_at,
                    asked_by: required.asked_by,
                };
                self.asked(Question::Approval(Box::new(asked)), envelope);
            }
            Happened::UserInputRequired(required) => {
                let asked = PendingUserInput {
                    id: required.id,
                    turn_id: self.asker(required.asked_by.as_ref()),
                    request: required.request,
                    asked_by: required.asked_by,
                };
                self.asked(Question::Input(Box::new(asked)), envelope);
            }
            Happened::ApprovalDecided(decided) => {
                self.answered(decided.approval_id.as_str(), envelope);
            }
            Happened::UserInputAnswered(UserInputAnswered { id, .. })
            | Happened::UserInputCanceled(UserInputCanceled { id, .. }) => {
                self.answered(id.as_str(), envelope);
            }
            Happened::TurnInterruptRequested(_) => {
                self.run.status = Status::Cancelling;
                self.run.await_request = None;
            }
            Happened::TurnCompleted(completed) => self.end(&completed.turn),
            Happened::ThreadStarted(_)
            | Happened::ThreadForked(_)
            | Happened::ThreadUpdated(_)
            | Happened::TurnStarted(_)
            | Happened::TurnLifecycle(_)
            | Happened::TurnSteered(_)
            | Happened::ApprovalTimeout(_)
            | Happened::ToolCallRequested(_)
            | Happened::ToolCallResolved(_)
            | Happened::ToolCallTimeout(_)
            | Happened::ToolCallCanceled(_)
            | Happened::SandboxDenied(_)
            | Happened::AgentSpawned(_)
            | Happened::AgentCompleted(_)
            | Happened::GoalUpdated(_)
            | Happened::GoalCleared(_)
            | Happened::TaskCreated(_)
            | Happened::TaskUpdated(_)
            | Happened::AutomationUpdated(_)
            | Happened::CoherenceChanged(_)
            | Happened::WorkspaceTrustChanged(_)
            | Happened::RoomCreated(_)
            | Happened::Fleet(_)
            | Happened::StoreCreated(_) => {}
        }
    }

    /// Tells from the rows what the log does not: a copied turn has no events of its own.
    pub(super) fn settle(&mut self, detail: &TurnDetail) {
        if !detail.turn.status.is_terminal() || self.run.finished_at.is_some() {
            return;
        }
        for item in &detail.items {
            self.item_ended(item);
        }
        self.end(&detail.turn);
    }

    fn item_started(&mut self, item: &TurnItemRecord) {
        self.said.push((item.id.clone(), None));
        if item.kind == ItemKind::AgentMessage && self.open.is_none() {
            self.open = Some(item.id.clone());
            let message = Message {
                role: self.role.clone(),
                parts: Vec::new(),
                created_at: item.started_at,
                completed_at: None,
            };
            self.told.push(Event::MessageCreated { message });
        }
    }

    fn item_ended(&mut self, item: &TurnItemRecord) {
        let message = Message::of(item, &self.role);
        match self.said.iter_mut().find(|(id, _)| *id == item.id) {
            Some((_, said)) => *said = message.clone(),
            None => self.said.push((item.id.clone(), message.clone())),
        }
        match item.kind {
            ItemKind::Status => self.aside("status", item),
            ItemKind::Error => self.aside("error", item),
            ItemKind::UserMessage
            | ItemKind::AgentMessage
            | ItemKind::AgentReasoning
            | ItemKind::ToolCall
            | ItemKind::CommandExecution
            | ItemKind::FileChange
            | ItemKind::ContextCompaction => {}
        }
        if self.open.as_ref() == Some(&item.id) {
            self.close(item, message);
        } else if let Some(message) = message {
            match self.open {
                Some(_) => self.waiting.push(message),
                None => self.tell_whole(message),
            }
        }
    }

    /// Ends the message that is being told, and tells those that ended meanwhile.
    fn close(&mut self, item: &TurnItemRecord, message: Option<Message>) {
        self.open = None;
        let empty = || Message {
            role: self.role.clone(),
            parts: Vec::new(),
            created_at: item.started_at,
            completed_at: item.ended_at,
        };
        let message = message.unwrap_or_else(empty);
        self.told.push(Event::MessageCompleted { message });
        for message in std::mem::take(&mut self.waiting) {
            self.tell_whole(message);
        }
    }

    fn tell_whole(&mut self, message: Message) {
        let begun = Message {
            parts: Vec::new(),
            completed_at: None,
            ..message.clone()
        };
        self.told.push(Event::MessageCreated { message: begun });
        let parts = message.parts.iter().cloned();
        let parts = parts.map(|part| Event::MessagePart { part });
        self.told.extend(parts);
        self.told.push(Event::MessageCompleted { message });
    }

    fn aside(&mut self, name: &str, item: &TurnItemRecord) {
        let text = item.detail.clone().unwrap_or_default();
        let generic = Map::from_iter([(name.to_owned(), Value::String(text))]);
        self.told.push(Event::Generic { generic });
    }

    fn asked(&mut self, question: Question, envelope: &RuntimeEventEnvelope) {
        self.questions.push(question);
        if self.questions.len() == 1 {
            self.hold_first(envelope);
        }
    }

    /// The turn that asks: the run, or one of an agent below it.
    fn asker(&self, below: Option<&AskedBy>) -> TurnId {
        below.map_or_else(|| self.run.run_id.turn(), |below| below.turn_id.clone())
    }

    /// Has the first question told next, unless the run is to stop anyway.
    fn hold_first(&mut self, envelope: &RuntimeEventEnvelope) {
        if self.run.status == Status::Cancelling {
            return;
        }
        let first = self.questions.first();
        let awaited = first.map(|first| first.awaited(&self.role, envelope.timestamp));
        self.held = awaited.is_some();
        self.run.await_request = awaited;
    }

    fn answered(&mut self, id: &str, envelope: &RuntimeEventEnvelope) {
        let Some(at) = self.questions.iter().position(|asked| asked.id() == id) else {
            return;
        };
        self.questions.remove(at);
        if at > 0 {
            return;
        }
        self.held = false;
        if self.run.status == Status::Awaiting {
            self.run.status = Status::InProgress;
            // What was awaited stands in this one for the last time.
            let run = Box::new(self.run());
            self.told.push(Event::RunInProgress { run });
        }
        self.hold_first(envelope);
    }

    fn end(&mut self, turn: &TurnRecord) {
        self.questions.clear();
        self.held = false;
        for message in std::mem::take(&mut self.waiting) {
            self.tell_whole(message);
        }
        self.run.end(turn);
        let run = Box::new(self.run());
        self.told.push(match self.run.status {
            Status::Completed => Event::RunCompleted { run },
            Status::Failed => Event::RunFailed { run },
            Status::Cancelled => Event::RunCancelled { run },
            Status::Created | Status::InProgress | Status::Awaiting | Status::Cancelling => {
                Event::RunInProgress { run }
            }
        });
    }
}
