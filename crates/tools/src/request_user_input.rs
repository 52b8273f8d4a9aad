//! `request_user_input`: questions to the person, in the middle of a turn.

use std::collections::BTreeSet;

use codewhale_policy::{Act, Demand};
use codewhale_protocol::ext::{UserInputAnswer, UserInputQuestion};
use codewhale_protocol::runtime::ItemKind;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::limits::{
    ANSWER_BYTES_MAX, OPTIONS_MAX, OPTIONS_MIN, QUESTION_BYTES_MAX, QUESTIONS_MAX,
};
use crate::typed::Typed;
use crate::{Context, Output, Prepared, Preview};

/// Asks the user one to three questions and waits for the answers. Use it when the task cannot go
/// on well without a decision that only the user can take; do not use it for what you can find out
/// yourself. Give each question two to four options, the one you recommend first.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// One to three questions.
    questions: Vec<UserInputQuestion>,
}

pub(crate) struct RequestUserInput;

impl Typed for RequestUserInput {
    const NAME: &'static str = "request_user_input";
    const ALIASES: &'static [&'static str] = &[];
    const ACT: Act = Act::Inward;
    const KIND: ItemKind = ItemKind::ToolCall;
    type Input = Input;

    async fn prepare(input: Input, _: &Context) -> Result<Prepared, Output> {
        let questions = input.questions;
        check(&questions).map_err(|problem| {
            Output::failure(format!("the questions were not asked: {problem}"))
        })?;
        let preview = Preview {
            description: format!("Ask {} questions", questions.len()),
            ..Preview::default()
        };
        Ok(Prepared::new(
            Demand::Inward,
            Self::NAME,
            questions,
            preview,
            run,
        ))
    }
}

fn check(questions: &[UserInputQuestion]) -> Result<(), String> {
    if !(1..=QUESTIONS_MAX).contains(&questions.len()) {
        return Err(format!("give one to {QUESTIONS_MAX} questions"));
    }
    let ids: BTreeSet<&str> = questions
        .iter()
        .map(|question| question.id.as_str())
        .collect();
    if ids.len() < questions.len() {
        return Err("two questions have the same id".to_owned());
    }
    questions.iter().try_for_each(check_one)
}

fn check_one(question: &UserInputQuestion) -> Result<(), String> {
    let id = &question.id;
    if !(OPTIONS_MIN..=OPTIONS_MAX).contains(&question.options.len()) {
        return Err(format!(
            "question {id:?} needs {OPTIONS_MIN} to {OPTIONS_MAX} options"
        ));
    }
    let labels = question.options.iter().map(|option| option.label.as_str());
    let distinct: BTreeSet<&str> = labels.clone().collect();
    if distinct.len() < question.options.len() {
        return Err(format!("question {id:?} has the same option twice"));
    }
    let named = [id, &question.header, &question.question].map(String::as_str);
    let needed: Vec<&str> = named.into_iter().chain(labels).collect();
    if needed.iter().any(|text| text.trim().is_empty()) {
        return Err(format!(
            "question {id:?} has an empty id, header, question or label"
        ));
    }
    let texts = question
        .options
        .iter()
        .map(|option| option.description.as_str());
    if needed
        .into_iter()
        .chain(texts)
        .any(|text| text.len() > QUESTION_BYTES_MAX)
    {
        return Err(format!(
            "a text of it is longer than {QUESTION_BYTES_MAX} bytes"
        ));
    }
    Ok(())
}

async fn run(questions: Vec<UserInputQuestion>, context: Context) -> Output {
    let answers = tokio::select! {
        biased;
        () = context.cancel.cancelled() => return Output::failure("interrupted before an answer came"),
        answers = context.person.ask(questions.clone()) => answers,
    };
    match answers {
        Ok(answers) => told(&questions, &answers),
        Err(unanswered) => Output::failure(format!("no answer: {unanswered}"))
            .with_metadata(json!({"answered": 0, "questions": questions.len()})),
    }
}

/// The answers are for the model alone: a person may answer with what is nobody else's business.
fn told(questions: &[UserInputQuestion], answers: &[UserInputAnswer]) -> Output {
    let mut lines = Vec::new();
    let mut answered = 0;
    for question in questions {
        let given: Vec<String> = answers
            .iter()
            .filter(|answer| answer.id == question.id)
            .map(worded)
            .collect();
        answered += usize::from(!given.is_empty());
        let given = match given.is_empty() {
            true => "no answer".to_owned(),
            false => given.join("; "),
        };
        lines.push(format!("{}: {given}", question.id));
    }
    let total = questions.len();
    Output::success(lines.join("\n"))
        .shown_as(format!("the user answered {answered} of {total} questions"))
        .with_metadata(json!({"answered": answered, "questions": total}))
}

fn worded(answer: &UserInputAnswer) -> String {
    let value = &answer.value[..answer.value.floor_char_boundary(ANSWER_BYTES_MAX)];
    match value.is_empty() || value == answer.label {
        true => answer.label.clone(),
        false => format!("{} ({value})", answer.label),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use codewhale_protocol::service::BoxFuture;
    use serde_json::Value;

    use super::*;
    use crate::testing::Bench;
    use crate::{Person, Unanswered};

    /// Answers with what it was given, and remembers what it was asked.
    struct Somebody {
        answers: Result<Vec<UserInputAnswer>, Unanswered>,
        asked: Mutex<Vec<UserInputQuestion>>,
    }

    impl Person for Somebody {
        fn ask(
            &self,
            questions: Vec<UserInputQuestion>,
        ) -> BoxFuture<'_, Result<Vec<UserInputAnswer>, Unanswered>> {
            *self.asked.lock().unwrap() = questions;
            Box::pin(async { self.answers.clone() })
        }
    }

    /// Is asked and never answers; stops the turn instead.
    struct Leaver(tokio_util::sync::CancellationToken);

    impl Person for Leaver {
        fn ask(
            &self,
            _: Vec<UserInputQuestion>,
        ) -> BoxFuture<'_, Result<Vec<UserInputAnswer>, Unanswered>> {
            self.0.cancel();
            Box::pin(std::future::pending())
        }
    }

    fn question(id: &str) -> Value {
        let option = |label: &str| json!({"label": label, "description": "means it"});
        let options = [option("yes"), option("no")];
        json!({"header": "Go on", "id": id, "question": "Shall we?", "options": options})
    }

    fn answer(id: &str, label: &str, value: &str) -> UserInputAnswer {
        UserInputAnswer {
            id: id.into(),
            label: label.into(),
            value: value.into(),
        }
    }

    async fn ask(person: Arc<dyn Person>, bench: &Bench, questions: &[Value]) -> Output {
        let input = json!({"questions": questions});
        let prepared = bench.prepare("request_user_input", input).await.unwrap();
        assert_eq!(prepared.demand, Demand::Inward);
        prepared.run(bench.context().with_person(person)).await
    }

    #[tokio::test]
    async fn answers_reach_the_model_and_not_the_log() {
        let answers = vec![
            answer("b", "Other", "the word is fish"),
            answer("a", "yes", "yes"),
            answer("unknown", "yes", "yes"),
        ];
        let person = Arc::new(Somebody {
            answers: Ok(answers),
            asked: Mutex::default(),
        });
        let questions = [question("a"), question("b"), question("c")];
        let output = ask(person.clone(), &Bench::new(), &questions).await;
        assert_eq!(
            output.text,
            "a: yes\nb: Other (the word is fish)\nc: no answer"
        );
        assert_eq!(output.for_the_log(), "the user answered 2 of 3 questions");
        assert!(!output.metadata.unwrap().to_string().contains("fish"));
        assert_eq!(person.asked.lock().unwrap().len(), 3);
    }

    #[tokio::test]
    async fn without_an_answer_the_model_knows_how_to_go_on() {
        let bench = Bench::new();
        let input = json!({"questions": [question("a")]});
        let output = bench.call("request_user_input", input).await;
        let text = "no answer: nobody is here to answer; decide yourself and say what you assumed";
        assert_eq!((output.success, output.text.as_str()), (false, text));
        for why in [Unanswered::TooLate, Unanswered::Declined] {
            let person = Somebody {
                answers: Err(why),
                asked: Mutex::default(),
            };
            let output = ask(Arc::new(person), &bench, &[question("a")]).await;
            assert!(!output.success && output.text.contains(&why.to_string()));
        }
    }

    #[tokio::test]
    async fn a_turn_that_is_stopped_waits_for_nobody() {
        let bench = Bench::new();
        let person = Arc::new(Leaver(bench.cancel.clone()));
        let output = ask(person, &bench, &[question("a")]).await;
        assert!(output.text.contains("interrupted"), "{}", output.text);
    }

    #[tokio::test]
    async fn wrong_questions_are_not_asked() {
        let bench = Bench::new();
        let mut few = question("a");
        few["options"] = json!([{"label": "yes", "description": ""}]);
        let mut twice = question("a");
        twice["options"][1]["label"] = json!("yes");
        let mut empty = question("a");
        empty["question"] = json!(" ");
        let mut long = question("a");
        long["question"] = json!("x".repeat(QUESTION_BYTES_MAX + 1));
        for (questions, why) in [
            (json!([]), "give one to 3 questions"),
            (
                json!([question("a"), question("b"), question("c"), question("d")]),
                "one to 3",
            ),
            (json!([question("a"), question("a")]), "the same id"),
            (json!([few]), "needs 2 to 4 options"),
            (json!([twice]), "the same option twice"),
            (json!([empty]), "has an empty id"),
            (json!([long]), "is longer than"),
            (json!([{"id": "a"}]), "missing field `header`"),
        ] {
            let input = json!({"questions": questions});
            let output = bench.call("request_user_input", input).await;
            assert!(
                !output.success && output.text.contains(why),
                "{}",
                output.text
            );
        }
    }
}
