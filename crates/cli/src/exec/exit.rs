//! How a run ended, in the words and numbers that programs branch on.

use codewhale_protocol::runtime::{FailureClass, TurnRecord, TurnStatus};

/// Something was refused because nobody was there to answer.
const APPROVAL_REQUIRED: u8 = 3;
/// Trying again later may well help.
const TEMPORARY: u8 = 75;
/// Stopped by someone.
const CANCELED: u8 = 130;
/// Nobody reads any more.
pub(super) const PIPE_CLOSED: u8 = 141;

/// What kind of thing went wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Category {
    Network,
    Authentication,
    RateLimit,
    Timeout,
    Budget,
    InvalidInput,
    Parse,
    Tool,
    State,
    Internal,
}

impl Category {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Network => "network",
            Self::Authentication => "authentication",
            Self::RateLimit => "rate_limit",
            Self::Timeout => "timeout",
            Self::Budget => "budget",
            Self::InvalidInput => "invalid_input",
            Self::Parse => "parse",
            Self::Tool => "tool",
            Self::State => "state",
            Self::Internal => "internal",
        }
    }
}

/// How a run ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Ending {
    pub(super) status: TurnStatus,
    pub(super) termination_reason: &'static str,
    pub(super) error_category: Option<Category>,
    pub(super) error: Option<String>,
    pub(super) code: u8,
}

impl Ending {
    /// The end of a turn. What was refused for want of an approver, and what failed among the
    /// tools, is part of it.
    pub(super) fn of(turn: &TurnRecord, refused: bool, tool_failed: bool) -> Self {
        let category = turn.failure_class.and_then(category);
        let (termination_reason, code) = match turn.status {
            TurnStatus::Completed if refused => ("resolved", APPROVAL_REQUIRED),
            TurnStatus::Completed => ("resolved", 0),
            TurnStatus::Interrupted | TurnStatus::Canceled => ("canceled", CANCELED),
            TurnStatus::Queued | TurnStatus::InProgress | TurnStatus::Failed => {
                let reason = failure(category, refused, tool_failed);
                let code = match category {
                    Some(Category::Network | Category::Timeout) => TEMPORARY,
                    _ if refused => APPROVAL_REQUIRED,
                    _ => 1,
                };
                (reason, code)
            }
        };
        Self {
            status: turn.status,
            termination_reason,
            error_category: category,
            error: turn.error.clone(),
            code,
        }
    }
}

impl Ending {
    /// The turn ended well, and its answer is not what was asked for.
    pub(super) fn unfit(self, why: &str) -> Self {
        Self {
            status: TurnStatus::Failed,
            termination_reason: "model_error",
            error_category: Some(Category::Parse),
            error: Some(format!("the answer does not fit the schema: {why}")),
            code: 1,
        }
    }
}

fn category(class: FailureClass) -> Option<Category> {
    Some(match class {
        FailureClass::Network => Category::Network,
        FailureClass::Timeout => Category::Timeout,
        FailureClass::RateLimit => Category::RateLimit,
        FailureClass::Authentication => Category::Authentication,
        FailureClass::InvalidRequest => Category::InvalidInput,
        FailureClass::Truncated | FailureClass::Refused | FailureClass::Empty => Category::Parse,
        FailureClass::Limit => Category::Budget,
        FailureClass::McpServer => Category::Tool,
        FailureClass::Storage | FailureClass::Restart => Category::State,
        FailureClass::Internal => Category::Internal,
        FailureClass::Interrupted => return None,
    })
}

fn failure(category: Option<Category>, refused: bool, tool_failed: bool) -> &'static str {
    match category {
        Some(Category::InvalidInput) => "model_error",
        _ if refused => "approval_required",
        Some(Category::Budget) => "budget_exhausted",
        Some(Category::Timeout) => "timeout",
        Some(
            Category::Network | Category::Authentication | Category::RateLimit | Category::Parse,
        ) => "model_error",
        Some(Category::Tool) => "tool_error",
        Some(Category::State | Category::Internal) => "infrastructure_error",
        None if tool_failed => "tool_error",
        None => "unresolved",
    }
}

#[cfg(test)]
mod tests {
    use codewhale_protocol::Actor;
    use codewhale_protocol::runtime::Timestamp;

    use super::*;

    fn ending(
        status: TurnStatus,
        class: Option<FailureClass>,
        refused: bool,
    ) -> (u8, &'static str) {
        let by = Actor::system("test");
        let mut turn = TurnRecord::new("turn_1".into(), "thr_1".into(), Timestamp::from_ms(0), by);
        turn.status = status;
        turn.failure_class = class;
        let ending = Ending::of(&turn, refused, false);
        (ending.code, ending.termination_reason)
    }

    #[test]
    fn each_end_has_its_number_and_its_word() {
        use FailureClass as Class;
        use TurnStatus::{Completed, Failed, Interrupted};
        let cases = [
            (Completed, None, false, (0, "resolved")),
            (Completed, None, true, (3, "resolved")),
            (
                Interrupted,
                Some(Class::Interrupted),
                true,
                (130, "canceled"),
            ),
            (Failed, Some(Class::Network), false, (75, "model_error")),
            (
                Failed,
                Some(Class::Network),
                true,
                (75, "approval_required"),
            ),
            (Failed, Some(Class::Timeout), false, (75, "timeout")),
            (Failed, Some(Class::RateLimit), false, (1, "model_error")),
            (
                Failed,
                Some(Class::Authentication),
                false,
                (1, "model_error"),
            ),
            (
                Failed,
                Some(Class::InvalidRequest),
                true,
                (3, "model_error"),
            ),
            (Failed, Some(Class::Truncated), false, (1, "model_error")),
            (Failed, Some(Class::Empty), false, (1, "model_error")),
            (Failed, Some(Class::Limit), false, (1, "budget_exhausted")),
            (Failed, Some(Class::McpServer), false, (1, "tool_error")),
            (
                Failed,
                Some(Class::Storage),
                false,
                (1, "infrastructure_error"),
            ),
            (
                Failed,
                Some(Class::Restart),
                false,
                (1, "infrastructure_error"),
            ),
            (
                Failed,
                Some(Class::Internal),
                false,
                (1, "infrastructure_error"),
            ),
            (
                Failed,
                Some(Class::Internal),
                true,
                (3, "approval_required"),
            ),
            (Failed, None, false, (1, "unresolved")),
        ];
        for (status, class, refused, expected) in cases {
            assert_eq!(ending(status, class, refused), expected, "{class:?}");
        }
    }
}
