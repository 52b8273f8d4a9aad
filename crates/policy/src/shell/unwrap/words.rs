//! Words on their way from one command into another.

use crate::shell::{Assignment, Form, Word};

pub(super) fn leading_assignments(words: &[Word], at: &mut usize) -> Vec<Assignment> {
    let mut assignments = Vec::new();
    while let Some((name, value)) = words.get(*at).and_then(|word| word.text.split_once('=')) {
        let is_name = |it: char| it.is_ascii_alphanumeric() || it == '_';
        if name.is_empty() || !name.chars().all(is_name) {
            break;
        }
        let value = Word {
            text: value.to_owned(),
            form: words[*at].form,
        };
        assignments.push(Assignment {
            name: name.to_owned(),
            value,
        });
        *at += 1;
    }
    assignments
}

/// Words as a script that reads back as the same words.
pub(super) fn quoted(words: &[Word]) -> Word {
    let quote = |word: &Word| match word.is_open() {
        true => "\"$UNKNOWN\"".to_owned(),
        false => format!("'{}'", word.text.replace('\'', r"'\''")),
    };
    Word::literal(words.iter().map(quote).collect::<Vec<_>>().join(" "))
}

/// Where the first word stands that is neither an option nor the value of one. `None` where a word
/// on the way is not known.
pub(super) fn operands(words: &[Word], from: usize, valued: &[&str]) -> Option<usize> {
    let mut at = from;
    while let Some(word) = words.get(at) {
        let text = word.text.as_str();
        if word.is_open() && at == from {
            return None;
        }
        if text == "--" {
            return Some(at + 1);
        }
        if !word.is_flag() {
            return Some(at);
        }
        let takes_next = match text.strip_prefix("--") {
            Some(_) => valued.contains(&text),
            None => bundle_takes_next(text, valued),
        };
        at += if takes_next { 2 } else { 1 };
    }
    Some(at)
}

/// Whether the last letter of `-abc` is the one that wants a value.
fn bundle_takes_next(text: &str, valued: &[&str]) -> bool {
    let wants = |letter: char| {
        valued
            .iter()
            .any(|it| it.len() == 2 && it.ends_with(letter))
    };
    let first = text
        .char_indices()
        .skip(1)
        .find(|(_, letter)| wants(*letter));
    let is_whole = valued.contains(&text);
    is_whole || first.is_some_and(|(at, letter)| at + letter.len_utf8() == text.len())
}

/// Words as the shell that receives them would see them.
pub(super) fn joined(words: &[Word]) -> Word {
    let text: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    let form = words.iter().map(|word| word.form).max();
    Word {
        text: text.join(" "),
        form: form.unwrap_or(Form::Literal),
    }
}

/// A command that receives more words than are written.
pub(super) fn appended(words: &[Word]) -> Vec<Word> {
    let mut words = words.to_vec();
    words.push(Word::unknown());
    words
}
