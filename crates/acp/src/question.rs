//! Questions of the agent for clients without forms: they are asked as a message, and the next prompt
//! is the answer.

use codewhale_client::form::answer;
use codewhale_protocol::ext::{FREE_TEXT_LABEL, UserInputAnswer, UserInputQuestion};
use codewhale_protocol::runtime::UserInputRequest;

/// The questions as a message.
pub(crate) fn in_words(request: &UserInputRequest) -> String {
    let mut text = String::new();
    for question in &request.questions {
        text.push_str(&format!(
            "**{}** {}\n\n",
            question.header, question.question
        ));
        for (number, option) in (1..).zip(&question.options) {
            let (label, description) = (&option.label, &option.description);
            text.push_str(&format!("{number}. {label}: {description}\n"));
        }
        text.push('\n');
    }
    let how = match request.questions.len() {
        1 => "Answer with a number, or in your own words.",
        _ => "Answer with one line per question: a number, or your own words.",
    };
    text.push_str(how);
    text
}

/// Reads a prompt as the answer: one line per question, or the whole for every question.
pub(crate) fn read(request: &UserInputRequest, prompt: &str) -> Vec<UserInputAnswer> {
    let lines = prompt
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty());
    let lines: Vec<&str> = lines.collect();
    let whole = prompt.trim();
    let each: Vec<&str> = match lines.len() == request.questions.len() {
        true => lines,
        false => vec![whole; request.questions.len()],
    };
    let questions = request.questions.iter().zip(each);
    questions
        .flat_map(|(question, text)| answers(question, text))
        .collect()
}

fn answers(question: &UserInputQuestion, text: &str) -> Vec<UserInputAnswer> {
    let chosen = match question.multi_select {
        true => text.split(',').map(|part| option(question, part)).collect(),
        false => option(question, text).map(|label| vec![label]),
    };
    match chosen {
        Some(labels) => labels.iter().map(|it| answer(question, it, it)).collect(),
        None => vec![answer(question, FREE_TEXT_LABEL, text)],
    }
}

/// The option that a number or its own words name.
fn option<'a>(question: &'a UserInputQuestion, text: &str) -> Option<&'a str> {
    let text = text.trim().trim_end_matches('.');
    let by_number = text.parse::<usize>().ok().and_then(|number| {
        let index = number.checked_sub(1)?;
        question.options.get(index)
    });
    let mut options = question.options.iter();
    let by_name = || options.find(|it| it.label.eq_ignore_ascii_case(text));
    by_number.or_else(by_name).map(|it| it.label.as_str())
}

#[cfg(test)]
mod tests {
    use codewhale_protocol::ext::UserInputOption;

    use super::*;

    fn request(ids: &[&str], multi_select: bool) -> UserInputRequest {
        let option = |label: &str| UserInputOption {
            label: label.to_owned(),
            description: "about it".to_owned(),
        };
        let question = |id: &&str| UserInputQuestion {
            header: "Database".to_owned(),
            id: (*id).to_owned(),
            question: "Which one?".to_owned(),
            options: vec![option("SQLite"), option("Postgres")],
            allow_free_text: false,
            multi_select,
        };
        let questions = ids.iter().map(question).collect();
        UserInputRequest { questions }
    }

    fn check(request: &UserInputRequest, prompt: &str, expected: &[(&str, &str)]) {
        let answers = read(request, prompt);
        let read: Vec<_> = answers.iter().map(|it| (&*it.id, &*it.label)).collect();
        assert_eq!(read, expected, "{prompt:?}");
        assert_eq!(request.problem_with(&answers), None);
    }

    #[test]
    fn a_number_a_name_or_own_words_answer_a_question() {
        let one = request(&["a"], false);
        check(&one, "2", &[("a", "Postgres")]);
        check(&one, " sqlite ", &[("a", "SQLite")]);
        check(&one, "3", &[("a", "Other")]);
        check(&one, "neither,\nreally", &[("a", "Other")]);
        check(
            &request(&["a"], true),
            "1, 2",
            &[("a", "SQLite"), ("a", "Postgres")],
        );
    }

    #[test]
    fn several_questions_are_answered_line_by_line_or_all_with_the_whole() {
        let two = request(&["a", "b"], false);
        check(&two, "1\n\nPostgres", &[("a", "SQLite"), ("b", "Postgres")]);
        check(&two, "you choose", &[("a", "Other"), ("b", "Other")]);
    }
}
