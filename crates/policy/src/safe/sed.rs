//! `sed`, as far as it only prints.

use crate::shell::Word;

/// Whether these words, behind `sed`, only print: no editing in place, no files, no programs.
pub(super) fn only_looks(words: &[Word]) -> bool {
    let (mut scripts, mut operands) = (Vec::new(), Vec::new());
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.text.as_str() {
            "-n" | "-E" | "-r" | "-s" | "-u" | "-z" | "-nE" | "-nr" | "-En" | "-rn" => {}
            "--quiet" | "--silent" | "--regexp-extended" | "--posix" | "--sandbox" | "--" => {}
            "-e" | "--expression" | "-ne" | "-nEe" => match words.next() {
                Some(script) => scripts.push(script.text.as_str()),
                None => return false,
            },
            text if text.starts_with('-') && text.len() > 1 => return false,
            text => operands.push(text),
        }
    }
    if scripts.is_empty() {
        scripts.extend(operands.first());
    }
    !scripts.is_empty() && scripts.iter().all(|script| prints(script))
}

/// Whether a script consists of addresses with `p`, `d`, `q`, `=` and plain substitutions.
fn prints(script: &str) -> bool {
    let mut rest = script.trim();
    if rest.is_empty() {
        return false;
    }
    while !rest.is_empty() {
        let Some(behind) = command(rest) else {
            return false;
        };
        rest = behind.trim_start_matches([';', '\n', ' ']);
    }
    true
}

/// Steps over one command.
fn command(text: &str) -> Option<&str> {
    let mut rest = address(text.trim_start())?;
    if let Some(behind) = rest.strip_prefix(',') {
        rest = address(behind.trim_start_matches(['+', '~']))?;
    }
    let rest = rest.trim_start_matches([' ', '!']);
    let mut characters = rest.chars();
    match characters.next()? {
        'p' | 'd' | '=' => end(characters.as_str()),
        'q' => end(characters
            .as_str()
            .trim_start_matches(|it: char| it.is_ascii_digit())),
        's' => substitution(characters.as_str()),
        _ => None,
    }
}

fn end(rest: &str) -> Option<&str> {
    let rest = rest.trim_start_matches(' ');
    (rest.is_empty() || rest.starts_with([';', '\n'])).then_some(rest)
}

/// Steps over a line number, `$` or `/expression/`, if there is one.
fn address(text: &str) -> Option<&str> {
    if let Some(rest) = text.strip_prefix('$') {
        return Some(rest);
    }
    match text.strip_prefix('/') {
        Some(rest) => behind(rest, '/'),
        None => Some(text.trim_start_matches(|it: char| it.is_ascii_digit() || it == '~')),
    }
}

/// What stands behind the next delimiter that is not escaped.
fn behind(text: &str, delimiter: char) -> Option<&str> {
    let mut is_escaped = false;
    for (at, character) in text.char_indices() {
        match character {
            '\n' => return None,
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            _ if character == delimiter => return Some(&text[at + delimiter.len_utf8()..]),
            _ => {}
        }
    }
    None
}

/// Steps over `/from/to/` with flags that only print.
fn substitution(text: &str) -> Option<&str> {
    let delimiter = text.chars().next().filter(char::is_ascii_punctuation)?;
    let rest = behind(&text[1..], delimiter)?;
    let rest = behind(rest, delimiter)?;
    end(rest
        .trim_start_matches(|it: char| matches!(it, 'g' | 'p' | 'i' | 'I') || it.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_scripts_that_print_pass() {
        for (script, does) in [
            ("1,200p", true),
            ("$p", true),
            ("/a/,/b/p", true),
            ("10q", true),
            ("s/a/b/g", true),
            ("s|a/b|c|gp; 3d", true),
            ("s/a/b/e", false),
            ("s/a/b/w out", false),
            ("w out", false),
            ("1e rm x", false),
            ("e", false),
            ("r /etc/passwd", false),
            ("/a/{p}", false),
            ("s/a/b/\nw x", false),
            ("p;e ls", false),
            ("", false),
        ] {
            assert_eq!(prints(script), does, "{script:?}");
        }
    }
}
