//! What the walls kept a command from.
//!
//! The kernel does not tell us what it refused. A command that failed and spoke of a refusal is a
//! *suspicion*: the same words come from an ordinary file without permission. Only what we saw
//! ourselves is certain.

use std::path::PathBuf;

use crate::limits::{DENIAL_LINES_MAX, EVIDENCE_BYTES_MAX};
use crate::{Captured, End};

/// Something a confined command was kept from, as far as we can tell.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Denial {
    /// What it wanted.
    pub what: Denied,
    /// How sure we are.
    pub certainty: Certainty,
    /// Why we think so: the line it wrote, or what we saw.
    pub evidence: String,
}

/// What a command wanted and did not get.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Denied {
    /// To change a file, or to read a hidden one: the two fail alike.
    File {
        /// The file, when it was named.
        path: Option<PathBuf>,
    },
    /// To speak to others.
    Network,
    /// To call the kernel in a way that is closed to it.
    Call,
}

/// How sure a denial is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Certainty {
    /// We saw it.
    Certain,
    /// The command's own words suggest it.
    Suspected,
}

/// Words of failure, as the C library, shells and common runtimes print them.
#[rustfmt::skip]
const FILE_WORDS: &[&str] = &[
    "Read-only file system", "Permission denied", "EROFS", "EACCES",
    // What something protected answers when it is to be replaced.
    "Device or resource busy", "EBUSY",
];
#[rustfmt::skip]
const NETWORK_WORDS: &[&str] = &[
    "Network is unreachable", "Temporary failure in name resolution", "Could not resolve host",
    "Name or service not known", "ENETUNREACH", "EAI_AGAIN", "ENOTFOUND",
    "No route to host", "failed to lookup address", "dns error", "Temporary failure resolving",
];
const CALL_WORDS: &[&str] = &["Operation not permitted", "EPERM"];

/// A forbidden call by a foreign kind of machine code ends the process by this signal.
const BAD_CALL_SIGNAL: i32 = 31;

/// Looks for a refusal in what became of a confined command.
pub(crate) fn suspect(end: End, output: &Captured) -> Option<Denial> {
    match end {
        End::Exited(0) | End::TimedOut | End::Cancelled => None,
        End::Signaled(BAD_CALL_SIGNAL) => Some(Denial {
            what: Denied::Call,
            certainty: Certainty::Certain,
            evidence: "ended by SIGSYS".to_owned(),
        }),
        End::Exited(_) | End::Signaled(_) => output
            .text
            .lines()
            .rev()
            .take(DENIAL_LINES_MAX)
            .find_map(suspect_line),
    }
}

fn suspect_line(line: &str) -> Option<Denial> {
    let speaks_of = |words: &[&str]| words.iter().any(|word| line.contains(word));
    let what = if speaks_of(NETWORK_WORDS) {
        Denied::Network
    } else if speaks_of(FILE_WORDS) || (speaks_of(CALL_WORDS) && path_in(line).is_some()) {
        Denied::File {
            path: path_in(line),
        }
    } else if speaks_of(CALL_WORDS) {
        Denied::Call
    } else {
        return None;
    };
    let end = line.floor_char_boundary(EVIDENCE_BYTES_MAX);
    Some(Denial {
        what,
        certainty: Certainty::Suspected,
        evidence: line[..end].to_owned(),
    })
}

/// The last absolute path of a line: messages name the program first and the file after it.
fn path_in(line: &str) -> Option<PathBuf> {
    let is_edge = |c: char| c.is_whitespace() || "'\"`‘’:;,()[]".contains(c);
    let path = line
        .split(is_edge)
        .rfind(|word| word.starts_with('/') && word.len() > 1)?;
    Some(path.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, what: Option<Denied>) {
        let output = Captured {
            text: format!("before\n{line}\n"),
            ..Captured::default()
        };
        let found = suspect(End::Exited(1), &output);
        assert_eq!(found.map(|denial| denial.what), what, "{line}");
    }

    fn file(path: &str) -> Option<Denied> {
        Some(Denied::File {
            path: Some(path.into()),
        })
    }

    #[test]
    fn words_of_refusal_raise_a_suspicion() {
        check(
            "bash: line 1: /etc/x: Read-only file system",
            file("/etc/x"),
        );
        check(
            "touch: cannot touch '/etc/x': Permission denied",
            file("/etc/x"),
        );
        check(
            "PermissionError: [Errno 13] Permission denied: '/srv/a b'",
            file("/srv/a"),
        );
        check(
            "fatal: cannot open x: Permission denied",
            Some(Denied::File { path: None }),
        );
        check(
            "Error: EROFS: read-only file system, open '/x/y'",
            file("/x/y"),
        );
        check(
            "curl: (6) Could not resolve host: example.org",
            Some(Denied::Network),
        );
        check("connect: Network is unreachable", Some(Denied::Network));
        check(
            "strace: ptrace: Operation not permitted",
            Some(Denied::Call),
        );
        check("error[E0308]: mismatched types", None);
    }

    #[test]
    fn a_command_that_succeeded_or_was_stopped_was_not_refused() {
        let output = Captured {
            text: "/x: Permission denied".into(),
            ..Captured::default()
        };
        for end in [End::Exited(0), End::TimedOut, End::Cancelled] {
            assert_eq!(suspect(end, &output), None);
        }
    }

    #[test]
    fn only_the_signal_of_the_filter_is_certain() {
        let denial = suspect(End::Signaled(31), &Captured::default()).expect("a denial");
        assert_eq!(denial.certainty, Certainty::Certain);
        assert_eq!(suspect(End::Signaled(9), &Captured::default()), None);
    }
}
