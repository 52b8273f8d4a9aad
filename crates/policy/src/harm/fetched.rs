//! Programs that come from the network and run unseen: `curl | sh` and its kin.

use crate::shell::{Script, Segment, Word};

const FETCHERS: [&str; 9] = [
    "curl", "wget", "fetch", "aria2c", "http", "https", "xh", "nc", "ncat",
];

/// Whether something is fetched, and something else runs what no text shows.
pub(super) fn runs_fetched_code(script: &Script) -> bool {
    let named = |it: &Segment, names: &[&str]| it.name().is_some_and(|name| names.contains(&name));
    let fetches = script.segments.iter().any(|it| named(it, &FETCHERS));
    let runs = |it: &Segment| {
        let is_shell = it.name().is_some_and(is_shell_or_interpreter);
        let has_open = it.words.iter().any(Word::is_open);
        let operands = it
            .words
            .iter()
            .skip(1)
            .filter(|word| !word.is_flag() && word.text != "-");
        (is_shell && (has_open || it.is_fed() && operands.count() == 0))
            || (named(it, &["eval", "source", "."]) && has_open)
            || (is_shell && it.is_fed() && it.words.iter().any(|word| word.text == "-s"))
    };
    fetches && script.segments.iter().any(runs)
}

fn is_shell_or_interpreter(name: &str) -> bool {
    let plain = name.trim_end_matches(|it: char| it.is_ascii_digit() || it == '.');
    const NAMES: [&str; 14] = [
        "sh", "bash", "dash", "zsh", "ksh", "ash", "fish", "python", "perl", "ruby", "node", "php",
        "lua", "deno",
    ];
    NAMES.contains(&plain)
}
