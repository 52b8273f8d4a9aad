//! The ways of git to run something else.

use super::Runs;
use super::words::{joined, quoted};
use crate::shell::{Role, Word};

pub(super) fn git(words: &[Word]) -> Runs {
    let mut at = 1;
    while let Some(word) = words.get(at) {
        match word.text.as_str() {
            "-c" | "--config-env" => {
                let setting = words.get(at + 1).map_or("", |it| it.text.as_str());
                if let Some(found) = git_setting(setting, &words[at + 1..]) {
                    return found;
                }
                at += 2;
            }
            "-C" | "--git-dir" | "--work-tree" | "--namespace" | "--exec-path" => at += 2,
            text if text.starts_with("--exec-path=") => return Runs::Code(word.clone()),
            text if text.starts_with('-') => at += 1,
            _ => break,
        }
    }
    let text = |offset: usize| words.get(at + offset).map_or("", |it| it.text.as_str());
    let behind = |offset: usize| words.get(at + offset..).unwrap_or_default().to_vec();
    match (text(0), text(1)) {
        ("submodule", "foreach") => {
            let script = behind(2)
                .into_iter()
                .filter(|it| !it.is_flag())
                .collect::<Vec<_>>();
            Runs::Scripts(Role::Program, vec![joined(&script)])
        }
        ("bisect", "run") => Runs::Command(Role::Program, Vec::new(), behind(2)),
        ("rebase", _) => git_rebase(&behind(1)),
        ("filter-branch", _) => Runs::Code(joined(&behind(1))),
        _ => Runs::Nothing,
    }
}

/// A setting given on the command line that makes git run something.
fn git_setting(setting: &str, rest: &[Word]) -> Option<Runs> {
    let (key, value) = setting.split_once('=')?;
    let key = key.to_ascii_lowercase();
    if key.starts_with("alias.") {
        let behind = rest.get(1..).unwrap_or_default();
        let arguments = behind.get(1..).unwrap_or_default();
        let script = match value.strip_prefix('!') {
            Some(script) => format!("{script} {}", quoted(arguments).text),
            None => format!("git {value} {}", quoted(arguments).text),
        };
        return Some(Runs::Scripts(Role::Program, vec![Word::literal(script)]));
    }
    const RUN: [&str; 16] = [
        "pager",
        "editor",
        "sshcommand",
        "fsmonitor",
        "external",
        "helper",
        "textconv",
        "cmd",
        "program",
        "askpass",
        "hookspath",
        "gitproxy",
        "driver",
        "clean",
        "smudge",
        "process",
    ];
    let last = key.rsplit('.').next().unwrap_or("");
    let runs = RUN.contains(&last) || key.starts_with("pager.") || key.starts_with("include");
    runs.then(|| Runs::Code(Word::literal(value)))
}

fn git_rebase(words: &[Word]) -> Runs {
    let mut scripts = Vec::new();
    for (at, word) in words.iter().enumerate() {
        if let Some(script) = word.text.strip_prefix("--exec=") {
            scripts.push(Word::literal(script));
        } else if matches!(word.text.as_str(), "-x" | "--exec") {
            scripts.extend(words.get(at + 1).cloned());
        }
    }
    match scripts.is_empty() {
        true => Runs::Nothing,
        false => Runs::Scripts(Role::Program, scripts),
    }
}
