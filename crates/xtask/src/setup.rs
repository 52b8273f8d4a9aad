//! The parts that tests need besides Rust. A missing part is installed or the run fails: a test is
//! never skipped because a machine lacks something.
//!
//! A new part is one entry of [`PARTS`]. A new kind of source (npm, PyPI) is a variant of [`Source`]
//! and its lines in [`plan`], after those of the packages it needs itself; what it fetches belongs
//! under `.xtask/`, which git ignores.

use std::collections::BTreeSet;

use anyhow::{Result, bail, ensure};

use crate::shell::Line;

struct Part {
    name: &'static str,
    needed_for: &'static str,
    /// Ends well where the part is present.
    probe: &'static str,
    source: Source,
}

enum Source {
    /// Debian packages.
    Debian(&'static [&'static str]),
}

const PARTS: &[Part] = &[
    Part {
        name: "a C compiler",
        needed_for: "building SQLite and ring",
        probe: "gcc -fsyntax-only -include stdlib.h -x c /dev/null",
        source: Source::Debian(&["gcc", "libc6-dev"]),
    },
    Part {
        name: "git",
        needed_for: "listing the files of the workspace, and tests on repositories",
        probe: "git --version",
        source: Source::Debian(&["git"]),
    },
    Part {
        name: "python3",
        needed_for: "commands that try to get out of the walls",
        probe: "/usr/bin/python3 --version",
        source: Source::Debian(&["python3"]),
    },
    Part {
        name: "unshare and setpriv",
        needed_for: "file systems of the tests' own, and walls around an ordinary user",
        probe: "/usr/bin/setpriv --version",
        source: Source::Debian(&["util-linux"]),
    },
    Part {
        name: "curl",
        needed_for: "talking to the server as its users do",
        probe: "curl --version",
        source: Source::Debian(&["curl"]),
    },
];

/// Installs what is missing.
pub(crate) fn run() -> Result<()> {
    let missing = missing(PARTS);
    if missing.is_empty() {
        return Ok(());
    }
    for part in &missing {
        println!("missing: {}, for {}", part.name, part.needed_for);
    }
    for line in plan(&missing, rights())? {
        println!("{line}");
        line.run()?;
    }
    let names = missing_names(PARTS);
    ensure!(
        names.is_empty(),
        "installed, and still missing: {}",
        names.join(", ")
    );
    Ok(())
}

fn missing(parts: &'static [Part]) -> Vec<&'static Part> {
    parts
        .iter()
        .filter(|part| !Line::new(part.probe).succeeds())
        .collect()
}

fn missing_names(parts: &'static [Part]) -> Vec<&'static str> {
    missing(parts).iter().map(|part| part.name).collect()
}

/// What we may do on this machine.
#[derive(Clone, Copy)]
enum Rights {
    /// Debian packages can be installed.
    Install,
    /// They can be named only.
    Name,
}

fn rights() -> Rights {
    let root = Line::new("id -u").read().is_ok_and(|id| id.trim() == "0");
    if root && Line::new("apt-get --version").succeeds() {
        Rights::Install
    } else {
        Rights::Name
    }
}

/// The lines that install these parts.
fn plan(missing: &[&Part], rights: Rights) -> Result<Vec<Line>> {
    let packages: BTreeSet<&str> = missing
        .iter()
        .flat_map(|part| match part.source {
            Source::Debian(packages) => packages,
        })
        .copied()
        .collect();
    if packages.is_empty() {
        return Ok(Vec::new());
    }
    let install = Line::new("apt-get install -y --no-install-recommends").with(packages);
    match rights {
        Rights::Install => Ok(vec![Line::new("apt-get update"), install]
            .into_iter()
            .map(|line| line.environment("DEBIAN_FRONTEND", "noninteractive"))
            .collect()),
        Rights::Name => {
            bail!("packages are missing, and only root on Debian can install them: {install}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &[Part] = &[
        Part {
            name: "present",
            needed_for: "nothing",
            probe: "true",
            source: Source::Debian(&["present"]),
        },
        Part {
            name: "absent",
            needed_for: "this test",
            probe: "false",
            source: Source::Debian(&["zlib", "absent"]),
        },
    ];

    #[test]
    fn a_part_is_missing_when_its_probe_fails() {
        assert_eq!(missing_names(TABLE), ["absent"]);
    }

    #[test]
    fn root_updates_once_and_installs_everything_at_once() {
        let lines = plan(&[&TABLE[0], &TABLE[1]], Rights::Install).unwrap();
        let lines: Vec<_> = lines.iter().map(ToString::to_string).collect();
        assert_eq!(
            lines,
            [
                "DEBIAN_FRONTEND=noninteractive apt-get update",
                "DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends absent present zlib",
            ]
        );
    }

    #[test]
    fn without_rights_the_run_fails_and_names_the_packages() {
        let error = plan(&missing(TABLE), Rights::Name).unwrap_err();
        assert_eq!(
            error.to_string(),
            "packages are missing, and only root on Debian can install them: \
             apt-get install -y --no-install-recommends absent zlib"
        );
    }
}
