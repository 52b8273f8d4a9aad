//! The variables that hooks add to the environment of commands. Pure.

use codewhale_protocol::Redactor;

use crate::limits;

/// What was read: variables, and what was left out and why.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Additions {
    pub(crate) variables: Vec<(String, String)>,
    /// Names and reasons; never values.
    pub(crate) refused: Vec<String>,
}

/// What makes the loader or the shell run something before the command that was judged and approved
/// does, or changes how that command is read.
const STEERING: &[&str] = &[
    "BASHOPTS",
    "BASH_ENV",
    "ENV",
    "GCONV_PATH",
    "IFS",
    "PROMPT_COMMAND",
    "PS4",
    "SHELLOPTS",
];

/// The same by their beginnings, and our own, which would lie about who sets them.
const STEERING_PREFIXES: &[&str] = &["LD_", "DYLD_", "BASH_FUNC_", "CODEWHALE_", "DEEPSEEK_"];

/// Reads lines of `NAME=VALUE`. Blank lines and those that begin with `#` mean nothing; a leading
/// `export` is what a shell would print.
pub(crate) fn read(output: &str, redactor: &Redactor) -> Additions {
    let mut additions = Additions::default();
    let lines = output.lines().map(str::trim_end);
    for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let line = line.strip_prefix("export ").unwrap_or(line);
        let Some((name, value)) = line.split_once('=').filter(|(name, _)| is_name(name)) else {
            // It may be anything, so it is not shown.
            additions.refuse("a line", "is not NAME=VALUE");
            continue;
        };
        if additions.variables.len() >= limits::HOOK_SHELL_VARIABLES_MAX {
            additions.refuse(name, "is one too many");
        } else if is_steering(name) {
            additions.refuse(name, "decides what commands really run");
        } else if value.len() > limits::HOOK_SHELL_VARIABLE_BYTES_MAX || value.contains('\0') {
            additions.refuse(name, "has a value that is too long or no text");
        } else if redactor.mask(value) != value {
            additions.refuse(name, "holds a secret, which commands do not get");
        } else {
            additions
                .variables
                .push((name.to_owned(), value.to_owned()));
        }
    }
    additions
}

impl Additions {
    fn refuse(&mut self, name: &str, why: &str) {
        let told = format!("{name} {why} and is left out");
        if !self.refused.contains(&told) {
            self.refused.push(told);
        }
    }
}

/// An environment with additions; what is added wins.
pub(crate) fn with(
    environment: &[(String, String)],
    additions: &[(String, String)],
) -> Vec<(String, String)> {
    let is_kept = |(name, _): &&(String, String)| !additions.iter().any(|(it, _)| it == name);
    let kept = environment.iter().filter(is_kept);
    kept.chain(additions).cloned().collect()
}

fn is_name(name: &str) -> bool {
    let mut letters = name.bytes();
    let starts = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_';
    letters.next().is_some_and(starts) && letters.all(|it| starts(it) || it.is_ascii_digit())
}

fn is_steering(name: &str) -> bool {
    STEERING.contains(&name) || STEERING_PREFIXES.iter().any(|it| name.starts_with(it))
}

#[cfg(test)]
mod tests {
    use codewhale_protocol::Secret;

    use super::*;

    fn check(output: &str, variables: &[(&str, &str)], refused: &[&str]) {
        let redactor = Redactor::new(&[Secret::new("canary.key.1234")]);
        let found = read(output, &redactor);
        let found_variables: Vec<(&str, &str)> = found
            .variables
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        assert_eq!(found_variables, variables, "{output}");
        assert_eq!(found.refused, refused, "{output}");
    }

    #[test]
    fn lines_are_variables() {
        check(
            "A=1\n\n# words\nexport B_2=x=y z\nC=\r\nPATH=/nix/bin:/bin\n",
            &[
                ("A", "1"),
                ("B_2", "x=y z"),
                ("C", ""),
                ("PATH", "/nix/bin:/bin"),
            ],
            &[],
        );
    }

    #[test]
    fn what_would_run_something_else_than_was_approved_is_left_out() {
        for name in [
            "LD_PRELOAD",
            "LD_AUDIT",
            "BASH_ENV",
            "ENV",
            "IFS",
            "CODEWHALE_MODE",
        ] {
            let told = format!("{name} decides what commands really run and is left out");
            check(&format!("{name}=x\nA=1"), &[("A", "1")], &[&told]);
        }
    }

    #[test]
    fn secrets_and_lines_that_are_no_variables_are_left_out_unseen() {
        check(
            "KEY=canary.key.1234\ncanary.key.1234\n1A=2\nA B=3",
            &[],
            &[
                "KEY holds a secret, which commands do not get and is left out",
                "a line is not NAME=VALUE and is left out",
            ],
        );
    }

    #[test]
    fn there_is_an_end_to_it() {
        let redactor = Redactor::new(&[]);
        let many: String = (0..100).map(|at| format!("V{at}=1\n")).collect();
        let found = read(&many, &redactor);
        assert_eq!(found.variables.len(), limits::HOOK_SHELL_VARIABLES_MAX);
        let long = format!(
            "A={}",
            "x".repeat(limits::HOOK_SHELL_VARIABLE_BYTES_MAX + 1)
        );
        assert!(read(&long, &redactor).variables.is_empty());
    }

    #[test]
    fn what_is_added_wins() {
        let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        let before = [("A", "1"), ("B", "2")].map(owned);
        let added = [("A", "3")].map(owned);
        assert_eq!(with(&before, &added), [("B", "2"), ("A", "3")].map(owned));
    }
}
