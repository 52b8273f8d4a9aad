//! Programs that are there to run others: `sudo`, `env`, `xargs`, `ssh`, `find -exec`.

use super::Runs;
use super::words::{appended, joined, leading_assignments, operands, quoted};
use crate::shell::programs::{Kind, Wrapper};
use crate::shell::{Role, Word};

pub(super) fn wrapped(name: &str, words: &[Word], wrapper: &Wrapper) -> Runs {
    let looks_up = |word: &Word| word.text == "-v" || word.text == "-V";
    if name == "command" && words.get(1).is_some_and(looks_up) {
        return Runs::Nothing;
    }
    let Some(mut at) = operands(words, 1, wrapper.valued) else {
        return Runs::Unknown;
    };
    // `sudo NAME=value command`.
    let assignments = leading_assignments(words, &mut at);
    at += wrapper.own_words;
    let inner = words.get(at..).unwrap_or_default();
    if inner.is_empty() {
        let runs_a_shell = wrapper.kind == Kind::Elevated && words.len() > 1;
        return if runs_a_shell {
            Runs::Unknown
        } else {
            Runs::Nothing
        };
    }
    let options = &words[1..at.min(words.len())];
    let by_shell = |word: &Word| matches!(word.text.as_str(), "-s" | "-i" | "--shell" | "--login");
    if name == "sudo" && options.iter().any(by_shell) {
        return Runs::Scripts(Role::Elevated, vec![joined(inner)]);
    }
    match wrapper.kind {
        Kind::Plain => Runs::Command(Role::Wrapper, assignments, inner.to_vec()),
        Kind::Elevated => Runs::Command(Role::Elevated, assignments, inner.to_vec()),
        Kind::Appending => Runs::Command(Role::Wrapper, assignments, appended(inner)),
        Kind::Shell => Runs::Scripts(Role::Wrapper, vec![joined(inner)]),
    }
}

pub(super) fn env(words: &[Word]) -> Runs {
    let valued = ["-u", "-C", "--unset", "--chdir"];
    let splits =
        |word: &Word| word.text.starts_with("-S") || word.text.starts_with("--split-string");
    if let Some(at) = words.iter().position(splits) {
        let text = joined(&words[at..]);
        let text = text
            .text
            .trim_start_matches("--split-string")
            .trim_start_matches("-S");
        let text = text.trim_start_matches('=');
        return Runs::Scripts(Role::Wrapper, vec![Word::literal(text)]);
    }
    let Some(mut at) = operands(words, 1, &valued) else {
        return Runs::Unknown;
    };
    let assignments = leading_assignments(words, &mut at);
    match words.get(at..) {
        None | Some([]) => Runs::Nothing,
        Some(inner) => Runs::Command(Role::Wrapper, assignments, inner.to_vec()),
    }
}

/// `su -c script`, `script -c command`, `flock file command`.
pub(super) fn with_script_option(name: &str, words: &[Word]) -> Runs {
    let role = match name {
        "su" | "runuser" => Role::Elevated,
        _ => Role::Program,
    };
    let is_option =
        |word: &Word| matches!(word.text.as_str(), "-c" | "--command" | "--session-command");
    if let Some(at) = words.iter().position(is_option) {
        return match words.get(at + 1) {
            Some(script) => Runs::Scripts(role, vec![script.clone()]),
            None => Runs::Unknown,
        };
    }
    let inline = words
        .iter()
        .find_map(|word| word.text.strip_prefix("--command="));
    if let Some(script) = inline {
        return Runs::Scripts(role, vec![Word::literal(script)]);
    }
    match name {
        "flock" => inner_words(role, words, 1, &["-w", "-E", "--timeout"]),
        "runuser" => inner_words(role, words, 1, &["-u", "-g", "-G", "--user"]),
        "script" if words.len() > 1 => Runs::Unknown,
        _ => Runs::Nothing,
    }
}

/// `npx`, `uv run` and their kin: a program, or a script behind `-c`.
pub(super) fn package_runner(words: &[Word], from: usize) -> Runs {
    let rest = words.get(from..).unwrap_or_default();
    let is_call = |word: &Word| matches!(word.text.as_str(), "-c" | "--call");
    let before_program = rest.iter().take_while(|word| word.is_flag());
    if let Some(at) = before_program.into_iter().position(is_call) {
        let script = rest.get(at + 1).cloned();
        return script.map_or(Runs::Unknown, |it| Runs::Scripts(Role::Elevated, vec![it]));
    }
    let inline = rest
        .iter()
        .find_map(|word| word.text.strip_prefix("--call="));
    if let Some(script) = inline {
        return Runs::Scripts(Role::Elevated, vec![Word::literal(script)]);
    }
    let valued = [
        "-p",
        "--package",
        "--with",
        "--python",
        "--extra",
        "--group",
    ];
    inner_words(Role::Elevated, words, from, &valued)
}

fn inner_words(role: Role, words: &[Word], from: usize, valued: &[&str]) -> Runs {
    let Some(mut at) = operands(words, from, valued) else {
        return Runs::Unknown;
    };
    // `flock FILE command` has a word of its own.
    at += usize::from(words[0].text.ends_with("flock"));
    match words.get(at..) {
        None | Some([]) => Runs::Nothing,
        Some(inner) => Runs::Command(role, Vec::new(), inner.to_vec()),
    }
}

pub(super) fn ssh(words: &[Word]) -> Runs {
    let valued = [
        "-B", "-b", "-c", "-D", "-E", "-e", "-F", "-I", "-i", "-J", "-L", "-l", "-m", "-O", "-o",
        "-p", "-Q", "-R", "-S", "-W", "-w",
    ];
    let local = words.iter().find_map(|word| {
        let (key, command) = word.text.split_once('=')?;
        let key = key.trim_start_matches("-o").to_ascii_lowercase();
        matches!(
            key.as_str(),
            "proxycommand" | "localcommand" | "knownhostscommand"
        )
        .then(|| Word::literal(command))
    });
    if let Some(command) = local {
        return Runs::Scripts(Role::Elevated, vec![command, joined(words)]);
    }
    let Some(host) = operands(words, 1, &valued) else {
        return Runs::Unknown;
    };
    match words.get(host + 1..) {
        None | Some([]) => Runs::Nothing,
        Some([dashes, remote @ ..]) if dashes.text == "--" => {
            Runs::Scripts(Role::Elevated, vec![joined(remote)])
        }
        Some(remote) => Runs::Scripts(Role::Elevated, vec![joined(remote)]),
    }
}

/// `find -exec` and its kin. Only the first is brought out by its words; more make it unknown.
pub(super) fn find(words: &[Word]) -> Runs {
    const FLAGS: [&str; 8] = [
        "-exec",
        "-execdir",
        "-ok",
        "-okdir",
        "-x",
        "-X",
        "--exec",
        "--exec-batch",
    ];
    let is_flag = |word: &&Word| FLAGS.contains(&word.text.as_str());
    let Some(at) = words.iter().position(|word| is_flag(&word)) else {
        return Runs::Nothing;
    };
    let mut commands = Vec::new();
    let mut rest = &words[at + 1..];
    loop {
        let ends = |word: &Word| matches!(word.text.as_str(), ";" | "+");
        let end = rest.iter().position(ends).unwrap_or(rest.len());
        let found = |word: &Word| match word.text.contains("{}") {
            true => Word::unknown(),
            false => word.clone(),
        };
        commands.push(appended(&rest[..end].iter().map(found).collect::<Vec<_>>()));
        let behind = &rest[end..];
        match behind.iter().position(|word| is_flag(&word)) {
            Some(next) => rest = &behind[next + 1..],
            None => break,
        }
    }
    match commands.len() {
        1 => Runs::Command(Role::Program, Vec::new(), commands.remove(0)),
        _ => Runs::Scripts(
            Role::Program,
            commands.iter().map(|it| quoted(it)).collect(),
        ),
    }
}

pub(super) fn parallel(words: &[Word]) -> Runs {
    let valued = [
        "-j",
        "-a",
        "-N",
        "-S",
        "--jobs",
        "--joblog",
        "--colsep",
        "--delay",
        "--timeout",
    ];
    let Some(at) = operands(words, 1, &valued) else {
        return Runs::Unknown;
    };
    let is_source = |word: &Word| word.text.starts_with(":::");
    let end = words.iter().position(is_source).unwrap_or(words.len());
    match words.get(at..end) {
        // The commands themselves come from the input.
        None | Some([]) => Runs::Unknown,
        Some(inner) => {
            let mut script = joined(inner);
            script.text.push_str(" \"$UNKNOWN\"");
            Runs::Scripts(Role::Program, vec![script])
        }
    }
}
