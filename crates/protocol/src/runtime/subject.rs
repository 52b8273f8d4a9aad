//! The state of a thread as counters, projected from its events.

use super::{Event, ItemKind, TurnStatus};

/// What an event changes about the counters of its thread. Counters add up, so changes of several
/// events are one change.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct SubjectChange {
    /// Turns that began or ended.
    pub active: i64,
    /// Questions that were asked or settled.
    pub waiting: i64,
    /// How the thread stands now, when that changed.
    pub standing: Option<Standing>,
}

/// How the newest turn of a thread stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Standing {
    /// It is going on, or a person stopped it.
    Open,
    /// It failed, or the process under it died.
    Failed,
    /// It completed.
    Completed,
}

/// What an event means for the counters of its thread; `None` when it is not news there.
pub fn project(event: &Event) -> Option<SubjectChange> {
    let change = SubjectChange::default();
    Some(match event {
        Event::ThreadStarted(_) | Event::ThreadForked(_) | Event::ThreadUpdated(_) => change,
        Event::TurnStarted(_) => SubjectChange {
            active: 1,
            standing: Some(Standing::Open),
            ..change
        },
        Event::TurnCompleted(completed) => SubjectChange {
            active: -1,
            standing: Some(match completed.turn.status {
                TurnStatus::Completed => Standing::Completed,
                TurnStatus::Failed => Standing::Failed,
                TurnStatus::Interrupted if completed.recovered => Standing::Failed,
                TurnStatus::Interrupted
                | TurnStatus::Canceled
                | TurnStatus::Queued
                | TurnStatus::InProgress => Standing::Open,
            }),
            ..change
        },
        Event::ApprovalRequired(_) | Event::UserInputRequired(_) => SubjectChange {
            waiting: 1,
            ..change
        },
        Event::ApprovalDecided(_) | Event::UserInputAnswered(_) | Event::UserInputCanceled(_) => {
            SubjectChange {
                waiting: -1,
                ..change
            }
        }
        Event::TurnSteered(_) => change,
        Event::ItemCompleted(changed) if changed.item.kind == ItemKind::UserMessage => change,
        Event::TurnLifecycle(_)
        | Event::TurnInterruptRequested(_)
        | Event::ItemStarted(_)
        | Event::ItemDelta(_)
        | Event::ItemCompleted(_)
        | Event::ItemFailed(_)
        | Event::ItemInterrupted(_)
        | Event::ItemCanceled(_)
        | Event::ApprovalTimeout(_)
        | Event::ToolCallRequested(_)
        | Event::ToolCallResolved(_)
        | Event::ToolCallTimeout(_)
        | Event::ToolCallCanceled(_)
        | Event::WorkspaceTrustChanged(_)
        | Event::SandboxDenied(_)
        | Event::CoherenceChanged(_)
        | Event::AgentSpawned(_)
        | Event::AgentCompleted(_)
        | Event::GoalUpdated(_)
        | Event::GoalCleared(_)
        | Event::TaskCreated(_)
        | Event::TaskUpdated(_)
        | Event::AutomationUpdated(_)
        | Event::Fleet(_)
        | Event::RoomCreated(_)
        | Event::StoreCreated(_) => return None,
    })
}

impl SubjectChange {
    /// This change and then another.
    pub fn and(self, later: SubjectChange) -> SubjectChange {
        SubjectChange {
            active: self.active + later.active,
            waiting: self.waiting + later.waiting,
            standing: later.standing.or(self.standing),
        }
    }
}
