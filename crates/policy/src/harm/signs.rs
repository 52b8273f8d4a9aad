//! Signs of harm in single words.

use super::{Harm, harm};
use crate::shell::Word;

/// Tools that carry a `g` in front where the system has its own.
pub(super) const GNU: [&str; 9] = [
    "rm", "mv", "cp", "find", "chmod", "chown", "dd", "shred", "truncate",
];

/// Devices that hold something, as opposed to those that swallow or speak.
pub(super) fn is_device(text: &str) -> bool {
    const HARMLESS: [&str; 9] = [
        "null", "zero", "full", "stdin", "stdout", "stderr", "tty", "random", "urandom",
    ];
    // The last two are the shell's own way to the network, and no device at all.
    const HARMLESS_BELOW: [&str; 5] = ["fd/", "pts/", "shm/", "tcp/", "udp/"];
    let device = text.strip_prefix("/dev/");
    device.is_some_and(|it| {
        !HARMLESS.contains(&it) && !HARMLESS_BELOW.iter().any(|below| it.starts_with(below))
    })
}

/// A program text that deletes. What exactly, only running it would tell.
pub(super) fn code_that_deletes(code: &Word) -> Option<Harm> {
    const DELETES: [&str; 19] = [
        "rmtree",
        "rmsync",
        "rmdirsync",
        "rm_rf",
        "rm_r",
        "remove_tree",
        "removedirs",
        "removeall",
        "remove-item",
        "rimraf",
        "rm -r",
        "rm -f",
        "rd /s",
        "rmdir /s",
        "del /s",
        "format c:",
        "unlinksync",
        "fs.rm(",
        "deltree",
    ];
    let text = code.text.to_ascii_lowercase();
    let squeezed = text
        .replace("', '", " ")
        .replace("\", \"", " ")
        .replace("','", " ")
        .replace("\",\"", " ");
    let found = DELETES
        .iter()
        .any(|it| text.contains(it) || squeezed.contains(it));
    match found {
        true => harm(
            "harm:code-that-deletes",
            "a program text would delete files recursively",
        ),
        false => None,
    }
}

pub(super) fn operands(words: &[Word]) -> Vec<&Word> {
    let mut is_over = false;
    let keep = |word: &&Word| {
        if !is_over && word.text == "--" {
            is_over = true;
            return false;
        }
        is_over || !word.is_flag()
    };
    words.iter().filter(keep).collect()
}

pub(super) fn has_flag(words: &[Word], letters: &[char], long: &str) -> bool {
    words.iter().take_while(|it| it.text != "--").any(|word| {
        let text = word.text.as_str();
        match text.strip_prefix("--") {
            Some(name) => !name.is_empty() && long.starts_with(name),
            None => word.is_flag() && text.chars().any(|it| letters.contains(&it)),
        }
    })
}

/// The directory in front of the first name with a pattern in it.
pub(super) fn before_pattern(text: &str) -> Option<&str> {
    let at = text.find(['*', '?', '['])?;
    match text[..at].rfind('/') {
        Some(0) => Some("/"),
        Some(slash) => Some(&text[..slash]),
        None => Some("."),
    }
}

/// Whether a word with a variable in it becomes a root when the variable is empty, or is a home.
pub(super) fn may_be_root(text: &str) -> bool {
    text.contains("HOME") || text.ends_with('/') || text.ends_with("/*")
}

/// Whether a pattern names everything in its directory.
pub(super) fn takes_everything(text: &str) -> bool {
    let names = text.split('/').filter(|it| it.contains(['*', '?', '[']));
    names.into_iter().all(|name| {
        name.chars()
            .all(|it| matches!(it, '*' | '?' | '.' | '[' | ']' | '!' | '^'))
    })
}
