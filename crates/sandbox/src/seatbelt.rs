//! macOS: the profile by which its Seatbelt encloses a command.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use crate::{Command, Confinement, Network, Temporary};

/// The program of the system that applies a profile and becomes the command.
pub(crate) const PROGRAM: &str = "/usr/bin/sandbox-exec";

/// The same command, started by the program that encloses it.
#[cfg_attr(
    not(target_os = "macos"),
    expect(dead_code, reason = "used where there is a Seatbelt")
)]
pub(crate) fn enclosed(command: &Command, confinement: &Confinement) -> Command {
    let mut arguments = vec!["-p".into(), profile(confinement).into(), "--".into()];
    arguments.push(command.program.clone().into_os_string());
    arguments.extend(command.arguments.iter().cloned());
    let mut environment = command.environment.clone();
    if let Temporary::At(path) = &confinement.temporary {
        environment.push(("TMPDIR".into(), path.display().to_string()));
    }
    Command {
        program: PROGRAM.into(),
        arguments,
        environment,
        ..command.clone()
    }
}

/// A profile in Seatbelt's language. Later rules win, so it goes from wide to narrow: reading is
/// open, writing is closed, the writable places are open, what is protected and hidden is closed.
pub(crate) fn profile(confinement: &Confinement) -> String {
    let mut text = String::from(BASE);
    let mut rule = |verdict: &str, acts: &str, path: &Path| {
        let path = quoted(path);
        // Writing to a text cannot fail.
        let _ = writeln!(text, "({verdict} {acts} (subpath {path}))");
    };
    let mut writable: Vec<PathBuf> = confinement.writable.iter().map(real).collect();
    if let Temporary::At(path) = &confinement.temporary {
        writable.push(real(path));
    }
    for path in &writable {
        rule("allow", "file-write*", path);
    }
    for path in &confinement.protected {
        rule("deny", "file-write*", &real(path));
    }
    for path in &confinement.hidden {
        rule("deny", "file-read* file-write*", &real(path));
    }
    if confinement.network == Network::On {
        text.push_str(NETWORK);
    }
    text
}

/// What every confined command gets.
const BASE: &str = "\
(version 1)
(deny default)
(allow process-exec)
(allow process-fork)
(allow signal (target same-sandbox))
(allow process-info* (target same-sandbox))
(allow sysctl-read)
(allow file-read*)
(allow file-ioctl (literal \"/dev/tty\") (literal \"/dev/dtracehelper\"))
(allow pseudo-tty)
(allow file-write-data
    (literal \"/dev/null\") (literal \"/dev/zero\") (literal \"/dev/tty\")
    (literal \"/dev/stdout\") (literal \"/dev/stderr\"))
(allow ipc-posix-sem)
(allow mach-lookup
    (global-name \"com.apple.system.opendirectoryd.libinfo\")
    (global-name \"com.apple.bsd.dirhelper\")
    (global-name \"com.apple.system.notification_center\"))
";

/// Resolving names and checking certificates goes through services of the system.
const NETWORK: &str = "\
(allow network*)
(allow system-socket)
(allow mach-lookup
    (global-name \"com.apple.SystemConfiguration.configd\")
    (global-name \"com.apple.SystemConfiguration.DNSConfiguration\")
    (global-name \"com.apple.networkd\")
    (global-name \"com.apple.trustd.agent\")
    (global-name \"com.apple.SecurityServer\"))
";

/// Seatbelt compares real paths: `/tmp` is a link there.
fn real(path: impl AsRef<Path>) -> PathBuf {
    let path = path.as_ref();
    let Some((parent, name)) = path.parent().zip(path.file_name()) else {
        return path.to_owned();
    };
    path.canonicalize()
        .or_else(|_| parent.canonicalize().map(|parent| parent.join(name)))
        .unwrap_or_else(|_| path.to_owned())
}

fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(confinement: &Confinement) -> Vec<String> {
        let profile = profile(confinement);
        let after = profile.strip_prefix(BASE).expect("it starts with the base");
        after.lines().map(str::to_owned).collect()
    }

    #[test]
    fn reading_only_adds_nothing_to_the_base() {
        assert_eq!(rules(&Confinement::read_only()), [] as [&str; 0]);
        assert!(BASE.contains("(deny default)"));
        assert!(!BASE.contains("network"));
        assert!(!BASE.contains("(allow file-write*"));
    }

    #[test]
    fn what_is_closed_comes_after_what_is_open() {
        let confinement = Confinement {
            hidden: vec!["/no/home".into()],
            temporary: Temporary::At("/no/tmp".into()),
            ..Confinement::workspace("/no/w")
        };
        assert_eq!(
            rules(&confinement),
            [
                r#"(allow file-write* (subpath "/no/w"))"#,
                r#"(allow file-write* (subpath "/no/tmp"))"#,
                r#"(deny file-write* (subpath "/no/w/.codewhale"))"#,
                r#"(deny file-read* file-write* (subpath "/no/home"))"#,
            ]
        );
    }

    #[test]
    fn the_network_is_a_rule_of_its_own() {
        let confinement = Confinement {
            network: Network::On,
            ..Confinement::read_only()
        };
        assert!(profile(&confinement).ends_with(NETWORK));
    }

    #[test]
    fn a_path_cannot_end_its_own_text() {
        let evil = Confinement {
            writable: vec![r#"/a") (allow default) (x "\"#.into()],
            ..Confinement::read_only()
        };
        assert_eq!(
            rules(&evil),
            [r#"(allow file-write* (subpath "/a\") (allow default) (x \"\\"))"#]
        );
    }

    #[test]
    fn parentheses_are_balanced() {
        for text in [BASE, NETWORK] {
            let count = |c| text.matches(c).count();
            assert_eq!(count('('), count(')'));
        }
    }
}
