//! Programs that are given a text to run: shells, interpreters, archivers with helpers.

use super::Runs;
use super::words::{joined, operands};
use super::wrappers::package_runner;
use crate::shell::{Input, Role, Segment, Word, programs};

pub(super) fn runner_or_interpreter(name: &str, segment: &Segment) -> Runs {
    let words = &segment.words;
    let second = words.get(1).map_or("", |word| word.text.as_str());
    if programs::RUNNERS.contains(&(name, second)) {
        return package_runner(words, 2);
    }
    let Some(flags) = programs::interpreter(name) else {
        return Runs::Nothing;
    };
    let rest = &words[1..];
    let brings = |word: &Word| flags.iter().any(|flag| is_code_flag(&word.text, flag));
    if let Some(at) = rest.iter().position(brings) {
        return Runs::Code(joined(&rest[at..]));
    }
    let has_file = rest.iter().any(|word| !word.is_flag() && word.text != "-");
    match segment.input {
        Input::Pipe | Input::Text if !has_file => Runs::Unknown,
        _ => Runs::Nothing,
    }
}

/// `-e` also hides in a bundle (`-ne`) or carries its value (`--eval=x`, `-ex`).
fn is_code_flag(text: &str, flag: &str) -> bool {
    let is_short = flag.len() == 2 && flag.starts_with('-');
    match is_short {
        true => {
            let letter = &flag[1..];
            text.starts_with('-') && !text.starts_with("--") && text.contains(letter)
        }
        false => {
            text == flag
                || text
                    .strip_prefix(flag)
                    .is_some_and(|it| it.starts_with('='))
        }
    }
}

pub(super) fn shell(segment: &Segment) -> Runs {
    let valued = ["--rcfile", "--init-file", "-o", "-O", "+o", "+O"];
    let (mut brings_script, mut reads_input) = (false, false);
    let mut at = 1;
    while let Some(word) = segment.words.get(at) {
        let text = word.text.as_str();
        if word.is_open() && !brings_script {
            return Runs::Unknown;
        }
        if text == "--" || text == "-" {
            at += 1;
            break;
        }
        if !word.is_flag() && !text.starts_with('+') {
            break;
        }
        if valued.contains(&text) {
            at += 1;
        } else if !text.starts_with("--") {
            brings_script |= text.starts_with('-') && text.contains('c');
            reads_input |= text.starts_with('-') && text.contains('s');
        } else {
            brings_script |= text == "--command";
        }
        at += 1;
    }
    match segment.words.get(at) {
        Some(script) if brings_script => Runs::Scripts(Role::Wrapper, vec![script.clone()]),
        Some(file) if file.is_literal() && !reads_input && !file.text.starts_with("/dev/") => {
            Runs::Nothing
        }
        None if is_version(&segment.words) => Runs::Nothing,
        _ => Runs::Unknown,
    }
}

fn is_version(words: &[Word]) -> bool {
    words.len() == 2 && words[1].text == "--version"
}

pub(super) fn aliases(words: &[Word]) -> Runs {
    let value = |word: &Word| {
        let (_, value) = word.text.split_once('=')?;
        Some(Word {
            text: value.to_owned(),
            form: word.form,
        })
    };
    let scripts: Vec<Word> = words[1..].iter().filter_map(value).collect();
    match scripts.is_empty() {
        true => Runs::Nothing,
        false => Runs::Scripts(Role::Program, scripts),
    }
}

pub(super) fn awk(words: &[Word]) -> Runs {
    let at = operands(
        words,
        1,
        &["-F", "-v", "-f", "--file", "--assign", "--field-separator"],
    );
    let program = at.and_then(|at| words.get(at));
    let risky = ["system", "|", ">", "getline", "@load", "printf >"];
    match program {
        Some(program) if program.is_open() || risky.iter().any(|it| program.text.contains(it)) => {
            Runs::Code(program.clone())
        }
        _ => Runs::Nothing,
    }
}

/// Archivers that let a helper do part of the work.
pub(super) fn helper_program(words: &[Word]) -> Runs {
    const LONG: [&str; 7] = [
        "--to-command",
        "--use-compress-program",
        "--checkpoint-action",
        "--rsh",
        "--rsync-path",
        "--info-script",
        "--unzip-command",
    ];
    for (at, word) in words.iter().enumerate().skip(1) {
        let text = word.text.as_str();
        let (flag, value) = text.split_once('=').unwrap_or((text, ""));
        let is_long = flag.len() > 4 && LONG.iter().any(|it| it.starts_with(flag));
        let is_short = matches!(text, "-I" | "-e" | "-TT" | "-F");
        if !is_long && !is_short {
            continue;
        }
        let value = match value.is_empty() {
            true => words.get(at + 1).cloned().unwrap_or_else(Word::unknown),
            false => Word {
                text: value.to_owned(),
                form: word.form,
            },
        };
        let value = Word {
            text: value.text.replace("exec=", ""),
            form: value.form,
        };
        return Runs::Scripts(Role::Program, vec![value]);
    }
    Runs::Nothing
}
