//! Questions of the agent to the person, as the Runtime API shows them. The answers go to the model
//! and nowhere else: no event, no row and no answer of the server holds them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{AskedBy, ThreadId, TurnId, UserInputId};
use crate::ext::{UserInputAnswer, UserInputQuestion};

/// What the agent asks in one go.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct UserInputRequest {
    /// One to three questions.
    pub questions: Vec<UserInputQuestion>,
}

/// A request that waits, as the snapshot of a thread shows it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PendingUserInput {
    /// The request.
    pub id: UserInputId,
    /// The turn that waits.
    pub turn_id: TurnId,
    /// What is asked.
    pub request: UserInputRequest,
    /// Who asks, when it is a sub-agent of the thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_by: Option<AskedBy>,
}

/// What `user-input/answer` takes.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UserInputAnswerParams {
    /// The thread that waits.
    pub thread_id: ThreadId,
    /// The request.
    pub input_id: UserInputId,
    /// One entry per chosen option; free text has the label `Other`.
    pub answers: Vec<UserInputAnswer>,
}

impl std::fmt::Debug for UserInputAnswerParams {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("UserInputAnswerParams")
            .field("thread_id", &self.thread_id)
            .field("input_id", &self.input_id)
            .finish_non_exhaustive()
    }
}

/// The answer to an answer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct UserInputReceipt {
    /// Always true; failures are errors.
    pub ok: bool,
    /// The request.
    pub input_id: UserInputId,
    /// Whether the turn has it.
    pub delivered: bool,
}

impl UserInputRequest {
    /// What is wrong with a set of answers, if anything.
    pub fn problem_with(&self, answers: &[UserInputAnswer]) -> Option<String> {
        for answer in answers {
            let Some(question) = self.questions.iter().find(|it| it.id == answer.id) else {
                return Some(format!("there is no question {:?}", answer.id));
            };
            if answer.value.trim().is_empty() {
                return Some(format!("the answer to {:?} is blank", answer.id));
            }
            if !question.accepts(&answer.label) {
                let labels: Vec<&str> = question.options.iter().map(|it| &*it.label).collect();
                return Some(format!(
                    "{:?} is no answer to {:?}: choose one of {}",
                    answer.label,
                    answer.id,
                    labels.join(", ")
                ));
            }
        }
        let count = |id: &str| answers.iter().filter(|answer| answer.id == id).count();
        for question in &self.questions {
            match count(&question.id) {
                0 => return Some(format!("the question {:?} has no answer", question.id)),
                2.. if !question.multi_select => {
                    return Some(format!("the question {:?} takes one answer", question.id));
                }
                _ => {}
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ext::{FREE_TEXT_LABEL, UserInputOption};

    fn request(multi_select: bool) -> UserInputRequest {
        let option = |label: &str| UserInputOption {
            label: label.into(),
            description: "about it".into(),
        };
        UserInputRequest {
            questions: vec![UserInputQuestion {
                header: "Database".into(),
                id: "db".into(),
                question: "Which one?".into(),
                options: vec![option("SQLite"), option("Postgres")],
                allow_free_text: false,
                multi_select,
            }],
        }
    }

    fn answer(id: &str, label: &str, value: &str) -> UserInputAnswer {
        let (id, label, value) = (id.into(), label.into(), value.into());
        UserInputAnswer { id, label, value }
    }

    fn check(multi_select: bool, answers: &[UserInputAnswer], expected: Option<&str>) {
        let problem = request(multi_select).problem_with(answers);
        assert_eq!(problem.as_deref(), expected);
    }

    #[test]
    fn one_of_the_options_or_free_text_is_an_answer() {
        check(false, &[answer("db", "SQLite", "SQLite")], None);
        check(false, &[answer("db", FREE_TEXT_LABEL, "a file")], None);
        let both = [answer("db", "SQLite", "a"), answer("db", "Postgres", "b")];
        check(true, &both, None);
        check(false, &both, Some("the question \"db\" takes one answer"));
    }

    #[test]
    fn what_does_not_answer_is_named() {
        check(false, &[], Some("the question \"db\" has no answer"));
        check(
            false,
            &[answer("os", "x", "x")],
            Some("there is no question \"os\""),
        );
        check(
            false,
            &[answer("db", "Oracle", "Oracle")],
            Some("\"Oracle\" is no answer to \"db\": choose one of SQLite, Postgres"),
        );
        check(
            false,
            &[answer("db", "SQLite", " ")],
            Some("the answer to \"db\" is blank"),
        );
    }
}
