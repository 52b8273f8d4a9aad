use codewhale_protocol::service::BoxFuture;

use super::*;

/// Answers: the id of a question, a label and a value.
type Said = &'static [(&'static str, &'static str, &'static str)];

/// Answers by the id of the question: a label and a value.
struct Says(Said);

impl Person for Says {
    fn ask(
        &self,
        questions: Vec<UserInputQuestion>,
    ) -> BoxFuture<'_, Result<Vec<UserInputAnswer>, Unanswered>> {
        assert!(questions.len() <= QUESTIONS_MAX);
        let answers = self
            .0
            .iter()
            .filter(|(id, ..)| questions.iter().any(|question| question.id == *id));
        let answers = answers.map(|(id, label, value)| UserInputAnswer {
            id: (*id).to_owned(),
            label: (*label).to_owned(),
            value: (*value).to_owned(),
        });
        let answers = answers.collect();
        Box::pin(async move { Ok(answers) })
    }
}

async fn check(answers: Said, expected: Result<Value, No>) {
    let schema = json!({
        "type": "object",
        "properties": {
            "name": {"type": "string", "title": "Name"},
            "age": {"type": "integer"},
            "sure": {"type": "boolean"},
            "hue": {"type": "string", "enum": ["red", "green", "blue"]},
            "days": {"type": "array", "items": {"anyOf": [{"const": "mon"}, {"const": "tue"}]}},
        },
        "required": ["name"],
    });
    let filled = filled_in("demo", "Who are you?", &schema, &Says(answers)).await;
    assert_eq!(filled, expected);
}

#[tokio::test]
async fn answers_become_values_of_the_kind_that_was_asked_for() {
    check(
        &[
            ("name", FREE_TEXT_LABEL, "Ada"),
            ("age", FREE_TEXT_LABEL, " 36 "),
            ("sure", "true", ""),
            ("hue", FREE_TEXT_LABEL, "green"),
            ("days", FREE_TEXT_LABEL, "mon, tue"),
        ],
        Ok(json!({
            "name": "Ada", "age": 36, "sure": true, "hue": "green", "days": ["mon", "tue"],
        })),
    )
    .await;
    check(
        &[("name", FREE_TEXT_LABEL, "Ada"), ("age", LEAVE_OUT, "")],
        Ok(json!({"name": "Ada"})),
    )
    .await;
}

#[tokio::test]
async fn what_was_not_asked_for_is_not_sent() {
    let missing = Err(No::Missing("name".to_owned()));
    check(&[("age", FREE_TEXT_LABEL, "36")], missing).await;
    check(&[("name", DECLINE, "")], Err(No::Declined)).await;
    let all: &[(&str, Said)] = &[
        (
            "age",
            &[
                ("name", FREE_TEXT_LABEL, "Ada"),
                ("age", FREE_TEXT_LABEL, "old"),
            ],
        ),
        (
            "hue",
            &[
                ("name", FREE_TEXT_LABEL, "Ada"),
                ("hue", FREE_TEXT_LABEL, "pink"),
            ],
        ),
        (
            "days",
            &[
                ("name", FREE_TEXT_LABEL, "Ada"),
                ("days", FREE_TEXT_LABEL, "mon, sun"),
            ],
        ),
    ];
    for (member, answers) in all {
        check(answers, Err(No::Unfit((*member).to_owned()))).await;
    }
}

#[tokio::test]
async fn an_address_is_shown_when_it_can_be_trusted_to_be_private() {
    let yes: Said = &[("url", OPENED, "yes")];
    let no: Said = &[("url", DECLINE, "no")];
    for (url, answers, expected) in [
        ("https://hub.example.org/consent", yes, Ok(())),
        ("http://127.0.0.1:8000/consent", yes, Ok(())),
        ("https://hub.example.org/consent", no, Err(No::Declined)),
        ("http://hub.example.org/", yes, Err(No::Address)),
        ("javascript:alert(1)", yes, Err(No::Address)),
        ("not an address", yes, Err(No::Address)),
    ] {
        let shown = opened("demo", "Please consent", url, &Says(answers)).await;
        assert_eq!(shown, expected, "{url}");
    }
}
