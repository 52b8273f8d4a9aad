//! Questions of an agent as a form, for every door whose clients show some: what is asked as a JSON
//! schema of an object, and what was filled in as answers.

use codewhale_protocol::ext::{
    FREE_TEXT_LABEL, UserInputAnswer, UserInputOption, UserInputQuestion,
};
use codewhale_protocol::runtime::UserInputRequest;
use serde_json::{Map, Value, json};

/// What is told of a person who does not want to answer.
const DECLINED: &str = "(the person does not want to answer this)";

/// All questions, in one text.
pub fn message(request: &UserInputRequest) -> String {
    let questions = request.questions.iter().map(|it| it.question.as_str());
    questions.collect::<Vec<_>>().join("\n")
}

/// The form: one member per question, and one more where something else may be typed.
pub fn schema(request: &UserInputRequest) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for question in &request.questions {
        properties.insert(question.id.clone(), choice(question));
        match question.allow_free_text {
            true => {
                let other = json!({
                    "type": "string",
                    "title": format!("{}: something else", question.header),
                });
                properties.insert(other_of(question), other);
            }
            false => required.push(question.id.clone()),
        }
    }
    json!({ "type": "object", "properties": properties, "required": required })
}

fn choice(question: &UserInputQuestion) -> Value {
    let option = |it: &UserInputOption| json!({ "const": it.label, "title": it.label, "description": it.description });
    let options: Vec<_> = question.options.iter().map(option).collect();
    let (title, description) = (&question.header, &question.question);
    match question.multi_select {
        true => json!({
            "type": "array", "title": title, "description": description,
            "items": { "anyOf": options },
        }),
        false => json!({
            "type": "string", "title": title, "description": description, "oneOf": options,
        }),
    }
}

fn other_of(question: &UserInputQuestion) -> String {
    format!("{}_other", question.id)
}

/// What was filled in. What was typed goes before what was chosen; a question without either was not
/// answered.
pub fn read(request: &UserInputRequest, content: &Map<String, Value>) -> Vec<UserInputAnswer> {
    let answers = |question: &UserInputQuestion| {
        let typed = content.get(&other_of(question)).and_then(Value::as_str);
        if let Some(typed) = typed.filter(|text| !text.trim().is_empty()) {
            return vec![answer(question, FREE_TEXT_LABEL, typed)];
        }
        let chosen: Vec<&str> = match content.get(&question.id) {
            Some(Value::Array(labels)) => labels.iter().filter_map(Value::as_str).collect(),
            Some(Value::String(label)) => vec![label],
            _ => Vec::new(),
        };
        let chosen = chosen.into_iter().filter(|label| !label.trim().is_empty());
        let mut chosen: Vec<_> = chosen
            .map(|label| chosen_or_typed(question, label))
            .collect();
        if chosen.is_empty() {
            chosen.push(answer(question, FREE_TEXT_LABEL, DECLINED));
        }
        chosen
    };
    request.questions.iter().flat_map(answers).collect()
}

fn chosen_or_typed(question: &UserInputQuestion, label: &str) -> UserInputAnswer {
    match question.accepts(label) {
        true => answer(question, label, label),
        false => answer(question, FREE_TEXT_LABEL, label),
    }
}

/// That the person does not want to answer any of it.
pub fn declined(request: &UserInputRequest) -> Vec<UserInputAnswer> {
    let questions = request.questions.iter();
    questions
        .map(|it| answer(it, FREE_TEXT_LABEL, DECLINED))
        .collect()
}

/// One answer to one question.
pub fn answer(question: &UserInputQuestion, label: &str, value: &str) -> UserInputAnswer {
    UserInputAnswer {
        id: question.id.clone(),
        label: label.to_owned(),
        value: value.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(allow_free_text: bool, multi_select: bool) -> UserInputRequest {
        let option = |label: &str| UserInputOption {
            label: label.to_owned(),
            description: "about it".to_owned(),
        };
        let question = UserInputQuestion {
            header: "Database".to_owned(),
            id: "db".to_owned(),
            question: "Which one?".to_owned(),
            options: vec![option("SQLite"), option("Postgres")],
            allow_free_text,
            multi_select,
        };
        UserInputRequest {
            questions: vec![question],
        }
    }

    fn check(request: &UserInputRequest, content: Value, expected: &[(&str, &str)]) {
        let answers = read(request, content.as_object().unwrap());
        let read: Vec<_> = answers.iter().map(|it| (&*it.label, &*it.value)).collect();
        assert_eq!(read, expected, "{content}");
        assert_eq!(request.problem_with(&answers), None);
    }

    #[test]
    fn what_is_chosen_or_typed_answers_the_question() {
        let one = request(true, false);
        check(&one, json!({ "db": "SQLite" }), &[("SQLite", "SQLite")]);
        check(
            &one,
            json!({ "db_other": "a file" }),
            &[("Other", "a file")],
        );
        check(&one, json!({}), &[("Other", DECLINED)]);
        check(&one, json!({ "db": "Oracle" }), &[("Other", "Oracle")]);
        let both = json!({ "db": ["SQLite", "Postgres"] });
        let chosen = [("SQLite", "SQLite"), ("Postgres", "Postgres")];
        check(&request(false, true), both, &chosen);
    }

    #[test]
    fn a_form_wants_an_answer_unless_something_else_may_be_typed() {
        assert_eq!(schema(&request(false, false))["required"], json!(["db"]));
        let open = schema(&request(true, false));
        assert_eq!(open["required"], json!([]));
        assert_eq!(open["properties"]["db_other"]["type"], "string");
    }
}
