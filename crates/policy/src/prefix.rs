//! Whether the words of a command begin as a rule says.
//!
//! Two ways to compare. What *forbids* or *asks* is generous: options in between, other spellings of
//! the same option and the program's directory make no difference. What *allows* is strict: word for
//! word from the start, and far enough to name what the program is to do.

use crate::arity::identity;
use crate::shell::Word;

/// Whether a rule's words allow a command.
pub(crate) fn allows(rule: &[Word], command: &[Word]) -> bool {
    let is_other = |(rule, command): (&Word, &Word)| rule.text != command.text;
    if rule.first().zip(command.first()).is_none_or(is_other) {
        return false;
    }
    let Some(identity) = identity(command) else {
        return starts_with(rule, command) && rule.len() > 1;
    };
    let rule_texts: Vec<&str> = rule.iter().map(|word| word.text.as_str()).collect();
    match rule_texts.len() <= identity.len() {
        true => rule_texts == identity,
        // The rule says more than what the program does: the rest stands right behind, in order.
        false if rule_texts.starts_with(&identity) => follows(rule, command, identity.len()),
        false => starts_with(rule, command),
    }
}

fn starts_with(rule: &[Word], command: &[Word]) -> bool {
    let same = |(rule, word): (&Word, &Word)| word.is_literal() && rule.text == word.text;
    !rule.is_empty() && command.len() >= rule.len() && rule.iter().zip(command).all(same)
}

/// Whether the rest of the rule stands behind the words that were found.
fn follows(rule: &[Word], command: &[Word], done: usize) -> bool {
    let Some(last) = rule.get(done - 1) else {
        return false;
    };
    let at = command.iter().position(|word| word.text == last.text);
    at.is_some_and(|at| starts_with(&rule[done..], &command[at + 1..]))
}

/// What comparing with a rule that forbids or asks says.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Hit {
    No,
    /// A word that is not known stands where the rule has one.
    Maybe,
    Yes,
}

/// Whether a rule's words speak about a command, told generously.
pub(crate) fn meets(rule: &[Word], command: &[Word]) -> Hit {
    let (Some(program), Some(wanted)) = (command.first(), rule.first()) else {
        return Hit::No;
    };
    if !program.is_literal() {
        return Hit::Maybe;
    }
    // Some file systems know no case, and some systems name their programs with an ending.
    let is_same = [program.text.as_str(), base(&program.text)]
        .iter()
        .any(|it| it.eq_ignore_ascii_case(&wanted.text));
    if !is_same {
        return Hit::No;
    }
    let wanted: Vec<&Word> = rule[1..].iter().filter(|word| !word.is_flag()).collect();
    let operands = meets_operands(&wanted, &command[1..]);
    let flags = meets_flags(&rule[1..], &command[1..]);
    operands.min(flags)
}

fn base(program: &str) -> &str {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    name.strip_suffix(".exe").unwrap_or(name)
}

/// The rule's words in order. In between may stand options, and what may be the value of one.
fn meets_operands(wanted: &[&Word], command: &[Word]) -> Hit {
    let mut wanted = wanted.iter().peekable();
    let mut is_behind_flag = false;
    for word in command {
        let Some(next) = wanted.peek() else {
            return Hit::Yes;
        };
        if word.is_open() {
            return Hit::Maybe;
        }
        if word.text == next.text {
            wanted.next();
            is_behind_flag = false;
        } else if word.is_flag() {
            is_behind_flag = !word.text.contains('=');
        } else if is_behind_flag {
            is_behind_flag = false;
        } else {
            return Hit::No;
        }
    }
    match wanted.peek() {
        Some(_) => Hit::No,
        None => Hit::Yes,
    }
}

/// The rule's options, wherever they stand and however they are bundled.
fn meets_flags(rule: &[Word], command: &[Word]) -> Hit {
    let wanted: Vec<String> = rule.iter().flat_map(spellings).collect();
    let given: Vec<String> = command.iter().flat_map(spellings).collect();
    if wanted.iter().all(|flag| given.contains(flag)) {
        return Hit::Yes;
    }
    match command.iter().any(Word::is_open) {
        true => Hit::Maybe,
        false => Hit::No,
    }
}

/// An option taken apart: letters of a bundle, long names without their value, and the letter that
/// a long name is known by.
fn spellings(word: &Word) -> Vec<String> {
    let text = word.text.as_str();
    if !word.is_flag() || text == "--" {
        return Vec::new();
    }
    match text.strip_prefix("--") {
        Some(long) => {
            let name = long.split('=').next().unwrap_or(long);
            let short = match name {
                "force" => "f",
                "recursive" => "r",
                "verbose" => "v",
                "all" => "a",
                "delete" => "d",
                name => name,
            };
            vec![short.to_owned()]
        }
        None => {
            let letters = text[1..].chars();
            letters
                .map(|it| if it == 'R' { 'r' } else { it }.to_string())
                .collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<Word> {
        text.split(' ').map(Word::read).collect()
    }

    #[test]
    fn allowing_needs_as_many_words_as_name_the_deed() {
        for (rule, command, does) in [
            ("git status", "git status -s", true),
            ("git status", "git --no-pager status", true),
            ("git status", "git -c a=b status", false),
            ("git status", "git push", false),
            ("git", "git push", false),
            ("npm run", "npm run build", false),
            ("npm run build", "npm run build -- --fast", true),
            ("npm run build", "npm run deploy", false),
            ("ls", "ls -la /", true),
            ("ls", "./ls", false),
            ("python -m pytest", "python -m pytest -q", true),
            ("python -m pytest", "python -m http.server", false),
            ("cargo test --lib", "cargo test --lib x", true),
            ("cargo test --lib", "cargo test", false),
            ("git status", "git $X", false),
            ("make", "make", true),
            ("make", "make install", false),
        ] {
            assert_eq!(
                allows(&words(rule), &words(command)),
                does,
                "{rule} / {command}"
            );
        }
    }

    #[test]
    fn forbidding_sees_through_options_and_spellings() {
        for (rule, command, hit) in [
            ("git push", "git push", Hit::Yes),
            ("git push", "/usr/bin/git -C x push --force", Hit::Yes),
            ("git push", "GIT.exe push", Hit::Yes),
            ("git push", "git stash push", Hit::No),
            ("git push", "git $X", Hit::Maybe),
            ("git push", "$X push", Hit::Maybe),
            ("rm -rf", "rm -f -r x", Hit::Yes),
            ("rm -rf", "rm --recursive --force x", Hit::Yes),
            ("rm -rf", "rm -r x", Hit::No),
            ("rm", "rmdir x", Hit::No),
            ("git push --force", "git push origin main --force", Hit::Yes),
            ("git push --force", "git push origin main", Hit::No),
        ] {
            assert_eq!(
                meets(&words(rule), &words(command)),
                hit,
                "{rule} / {command}"
            );
        }
    }
}
