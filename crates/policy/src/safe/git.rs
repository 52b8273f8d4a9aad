//! Git, as far as it only looks.

use crate::shell::Word;

/// Whether these words, behind `git`, only look at the repository.
pub(super) fn only_looks(words: &[Word]) -> bool {
    let Some((command, rest)) = command(words) else {
        return false;
    };
    !super::has_any(rest, &[], WRITE_OR_RUN) && is_looking(command, rest)
}

/// Options that write a file or run a program, whatever the subcommand.
const WRITE_OR_RUN: &[&str] = &[
    "output",
    "output-directory",
    "ext-diff",
    "textconv",
    "filters",
    "exec",
    "upload-pack",
    "open-files-in-pager",
    "edit-description",
    "edit",
];

/// The subcommand behind options that only say where to look.
fn command(words: &[Word]) -> Option<(&str, &[Word])> {
    let mut at = 0;
    loop {
        let word = words.get(at)?;
        match word.text.as_str() {
            "--no-pager" | "-P" | "--no-optional-locks" | "--literal-pathspecs" => at += 1,
            "-C" => at += 2,
            text if text.starts_with('-') => return None,
            text => return Some((text, &words[at + 1..])),
        }
    }
}

fn is_looking(command: &str, rest: &[Word]) -> bool {
    let first = rest.first().map_or("", |word| word.text.as_str());
    match command {
        "status" | "log" | "diff" | "show" | "blame" | "annotate" | "rev-parse" | "ls-files"
        | "ls-tree" | "shortlog" | "describe" | "rev-list" | "cat-file" | "name-rev"
        | "merge-base" | "for-each-ref" | "count-objects" | "show-ref" | "whatchanged"
        | "check-ignore" | "check-attr" | "diff-tree" | "diff-index" | "diff-files" | "cherry"
        | "range-diff" | "show-branch" | "verify-commit" | "version" => true,
        "grep" => !super::has_any(rest, &['O'], &[]),
        "branch" => lists(rest, BRANCH),
        "tag" => lists(rest, TAG),
        "remote" => matches!(first, "" | "-v" | "--verbose" | "get-url") && rest.len() <= 2,
        "stash" => matches!(first, "list" | "show"),
        "worktree" => first == "list",
        "submodule" => first == "status",
        "reflog" => matches!(first, "" | "show"),
        "config" => {
            matches!(first, "--get" | "--get-all" | "--get-regexp" | "get") && rest.len() <= 3
        }
        "notes" => matches!(first, "list" | "show"),
        _ => false,
    }
}

const BRANCH: &[&str] = &[
    "--list",
    "-l",
    "-a",
    "--all",
    "-r",
    "--remotes",
    "-v",
    "-vv",
    "--verbose",
    "--show-current",
    "--no-color",
    "--no-column",
    "--ignore-case",
    "-i",
];
const TAG: &[&str] = &[
    "--list",
    "-l",
    "--no-color",
    "--no-column",
    "--ignore-case",
    "-i",
];

/// Whether a command that both lists and changes only lists: nothing but options for listing, and
/// names only where listing is said outright.
fn lists(words: &[Word], known: &[&str]) -> bool {
    let is_said = words
        .iter()
        .any(|it| matches!(it.text.as_str(), "--list" | "-l"));
    words.iter().all(|word| {
        let text = word.text.as_str();
        let with_value = [
            "--sort=",
            "--format=",
            "--contains=",
            "--merged=",
            "--points-at=",
        ];
        known.contains(&text)
            || with_value.iter().any(|it| text.starts_with(it))
            || (is_said && !word.is_flag())
    })
}
