//! Questions of a server in the middle of a call, put to the person behind that call.

use codewhale_protocol::ext::{
    FREE_TEXT_LABEL, UserInputAnswer, UserInputOption, UserInputQuestion,
};
use codewhale_tools::{Person, Unanswered};
use rmcp::model::{ElicitRequestParams, ElicitResult, ElicitationAction};
use serde_json::{Map, Value, json};

use crate::limits::{FORM_MEMBERS_MAX, QUESTION_BYTES_MAX, QUESTIONS_MAX};

/// Leaves a member out.
const LEAVE_OUT: &str = "Leave empty";
/// Refuses the whole form.
const DECLINE: &str = "Decline";

/// Puts a form to a person and answers for them. What cannot be put is declined.
pub(crate) async fn put(
    server: &str,
    request: ElicitRequestParams,
    person: &dyn Person,
) -> ElicitResult {
    let ElicitRequestParams::FormElicitationParams {
        message,
        requested_schema,
        ..
    } = request
    else {
        return ElicitResult::new(ElicitationAction::Decline);
    };
    let schema = serde_json::to_value(&requested_schema).unwrap_or_default();
    match filled_in(server, &message, &schema, person).await {
        Ok(Some(content)) => ElicitResult::new(ElicitationAction::Accept).with_content(content),
        Ok(None) | Err(Unanswered::Declined) => ElicitResult::new(ElicitationAction::Decline),
        Err(Unanswered::NobodyHere | Unanswered::TooLate) => {
            ElicitResult::new(ElicitationAction::Cancel)
        }
    }
}

async fn filled_in(
    server: &str,
    message: &str,
    schema: &Value,
    person: &dyn Person,
) -> Result<Option<Value>, Unanswered> {
    let members = schema["properties"].as_object();
    let members: Vec<(&String, &Value)> = members.into_iter().flatten().collect();
    if members.len() > FORM_MEMBERS_MAX {
        return Ok(None);
    }
    // A form without members asks for a yes.
    if members.is_empty() {
        let answers = person.ask(vec![consent(server, message)]).await?;
        let is_yes = answers.iter().any(|answer| answer.label == "Yes");
        return Ok(is_yes.then(|| json!({})));
    }
    let mut content = Map::new();
    for some in members.chunks(QUESTIONS_MAX) {
        let questions: Vec<_> = some
            .iter()
            .map(|(name, member)| question(server, message, name, member))
            .collect();
        let answers = person.ask(questions).await?;
        for (name, member) in some {
            let answer = answers.iter().find(|answer| answer.id == **name);
            match answer.map(|answer| value_of(answer, member)) {
                Some(Meant::Value(value)) => drop(content.insert((*name).clone(), value)),
                Some(Meant::Nothing) | None => {}
                Some(Meant::Refusal) => return Ok(None),
            }
        }
    }
    let required = schema["required"].as_array().into_iter().flatten();
    let mut required = required.filter_map(Value::as_str);
    let is_complete = required.all(|name| content.contains_key(name));
    Ok(is_complete.then_some(Value::Object(content)))
}

fn consent(server: &str, message: &str) -> UserInputQuestion {
    UserInputQuestion {
        header: cut(server),
        id: "consent".to_owned(),
        question: cut(message),
        options: vec![option("Yes", "go on"), option("No", "do not")],
        allow_free_text: false,
        multi_select: false,
    }
}

fn question(server: &str, message: &str, name: &str, member: &Value) -> UserInputQuestion {
    let described = ["title", "description"].map(|key| member[key].as_str().unwrap_or_default());
    let described = described.join(" ");
    let kind = member["type"].as_str().unwrap_or("value");
    let choices = choices(member);
    let listed = match choices.len() {
        3.. => format!(" One of: {}.", choices.join(", ")),
        _ => String::new(),
    };
    let mut options: Vec<_> = match choices.len() {
        1..=2 => choices.iter().map(|it| option(it, "")).collect(),
        _ => Vec::new(),
    };
    options.push(option(LEAVE_OUT, "send no value for it"));
    options.push(option(DECLINE, "send nothing at all"));
    UserInputQuestion {
        header: cut(server),
        id: name.to_owned(),
        question: cut(&format!(
            "{message}\n{name} ({kind}): {}{listed}",
            described.trim()
        )),
        options,
        allow_free_text: true,
        multi_select: false,
    }
}

/// The values a member may have, when they are few and named.
fn choices(member: &Value) -> Vec<String> {
    if member["type"] == "boolean" {
        return vec!["true".to_owned(), "false".to_owned()];
    }
    let member = match member["type"] == "array" {
        true => &member["items"],
        false => member,
    };
    let list = |key: &str| member[key].as_array().into_iter().flatten();
    let plain = list("enum");
    let titled = list("oneOf").chain(list("anyOf"));
    let titled = titled.map(|choice| &choice["const"]);
    let all = plain.chain(titled).filter_map(Value::as_str);
    all.map(str::to_owned).collect()
}

enum Meant {
    Value(Value),
    Nothing,
    Refusal,
}

fn value_of(answer: &UserInputAnswer, member: &Value) -> Meant {
    let text = match answer.label.as_str() {
        LEAVE_OUT => return Meant::Nothing,
        DECLINE => return Meant::Refusal,
        FREE_TEXT_LABEL => answer.value.as_str(),
        label => label,
    };
    let parts: Vec<&str> = match member["type"] == "array" {
        true => text.split(',').map(str::trim).collect(),
        false => vec![text],
    };
    let value = match member["type"].as_str() {
        Some("boolean") => text.parse().ok().map(Value::Bool),
        Some("integer") => text.trim().parse::<i64>().ok().map(Value::from),
        Some("number") => text.trim().parse::<f64>().ok().map(Value::from),
        Some("array") => Some(Value::from(parts.clone())),
        _ => Some(Value::from(text)),
    };
    let choices = choices(member);
    let is_one = |part: &&str| choices.iter().any(|choice| choice == part);
    let is_choice = choices.is_empty() || parts.iter().all(is_one);
    // What the server did not ask for is not sent to it.
    value
        .filter(|_| is_choice)
        .map_or(Meant::Refusal, Meant::Value)
}

fn option(label: &str, description: &str) -> UserInputOption {
    UserInputOption {
        label: cut(label),
        description: description.to_owned(),
    }
}

fn cut(text: &str) -> String {
    text[..text.floor_char_boundary(QUESTION_BYTES_MAX)].to_owned()
}

#[cfg(test)]
mod tests {
    use codewhale_protocol::service::BoxFuture;

    use super::*;

    /// Answers by the id of the question: a label and a value.
    struct Says(&'static [(&'static str, &'static str, &'static str)]);

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

    async fn check(answers: &'static [(&str, &str, &str)], expected: Option<Value>) {
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
        assert_eq!(filled, Ok(expected));
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
            Some(json!({
                "name": "Ada", "age": 36, "sure": true, "hue": "green", "days": ["mon", "tue"],
            })),
        )
        .await;
        check(
            &[("name", FREE_TEXT_LABEL, "Ada"), ("age", LEAVE_OUT, "")],
            Some(json!({"name": "Ada"})),
        )
        .await;
    }

    #[tokio::test]
    async fn what_was_not_asked_for_is_not_sent() {
        check(&[("age", FREE_TEXT_LABEL, "36")], None).await;
        let all: &[&'static [(&str, &str, &str)]] = &[
            &[
                ("name", FREE_TEXT_LABEL, "Ada"),
                ("age", FREE_TEXT_LABEL, "old"),
            ],
            &[
                ("name", FREE_TEXT_LABEL, "Ada"),
                ("hue", FREE_TEXT_LABEL, "pink"),
            ],
            &[
                ("name", FREE_TEXT_LABEL, "Ada"),
                ("days", FREE_TEXT_LABEL, "mon, sun"),
            ],
            &[("name", DECLINE, "")],
        ];
        for answers in all {
            check(answers, None).await;
        }
    }
}
