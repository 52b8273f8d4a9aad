//! Places that exist on one machine only: folders of whoever wrote it, mirrors of registries.

use super::finding::Finding;
use super::tree::Tree;

/// Folders of the machines this is written on.
const FOLDERS: &[&str] = &["/work/", "/root/"];
/// The folder above those of people, and the name that stands for any of them.
const HOMES: &str = "/home/";
const ANYONE: &str = "you";

/// Where packages come from is set on each machine. Parts are named, never fetched by address.
const REGISTRIES: &[&str] = &[
    "index.crates.io",
    "static.crates.io",
    "[registries",
    "[source.crates-io]",
    "registry.npmjs.org",
    "registry.yarnpkg.com",
    "registry=http",
    "\"resolved\": \"http",
    "pypi.org/simple",
    "files.pythonhosted.org",
    "index-url",
    "deb.debian.org",
];

/// Names these places, as a rule must.
const THIS_FILE: &str = "crates/xtask/src/tidy/places.rs";

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    tree.files()
        .filter(|(path, _)| *path != THIS_FILE)
        .flat_map(|(path, text)| check_file(path, text))
        .collect()
}

fn check_file(path: &str, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if let Some(folder) = machine_folder(line) {
            let message =
                format!("`{folder}` is a folder of one machine; an example is {HOMES}{ANYONE}");
            findings.push(Finding::failure(path, message).at(index + 1));
        }
        for host in REGISTRIES.iter().filter(|host| line.contains(**host)) {
            let message = format!("`{host}`: each machine sets its own registries");
            findings.push(Finding::failure(path, message).at(index + 1));
        }
    }
    findings
}

/// The first folder in the line that only one machine has.
fn machine_folder(line: &str) -> Option<String> {
    let folder = FOLDERS
        .iter()
        .find(|folder| absolute(line, folder).next().is_some());
    let home = || {
        absolute(line, HOMES)
            .map(|rest| {
                rest.split(|c: char| !is_path(c) || c == '/')
                    .next()
                    .unwrap_or_default()
            })
            .find(|name| !name.is_empty() && *name != ANYONE)
            .map(|name| format!("{HOMES}{name}"))
    };
    folder.map(|folder| (*folder).to_owned()).or_else(home)
}

/// What follows each `folder` of the line that is no part of a longer path.
fn absolute<'a>(line: &'a str, folder: &'a str) -> impl Iterator<Item = &'a str> {
    line.match_indices(folder).filter_map(move |(at, _)| {
        let continues = line[..at].ends_with(|c: char| is_path(c) && c != '/');
        (!continues).then(|| &line[at + folder.len()..])
    })
}

/// Characters of which paths are made. Braces and angles mark a place to fill in.
fn is_path(c: char) -> bool {
    c.is_ascii_alphanumeric() || "/._-~".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::finding::shown;

    #[test]
    fn folders_of_one_machine_are_found() {
        let check = |line: &str, expected: Option<&str>| {
            assert_eq!(machine_folder(line).as_deref(), expected, "{line}");
        };
        check("see /work/main/crates", Some("/work/"));
        check("file:///root/notes", Some("/root/"));
        check("cwd = \"/home/alice/code\"", Some("/home/alice"));
        check("/home/you/a and /home/bob", Some("/home/bob"));
        check("/home/you/code", None);
        check("/home/<name>, /home/{user}, /home/$USER, /home/", None);
        check("crates/work/src, ~/work/x, https://a.example/root/b", None);
        check("/workspace/x, /rootless/y", None);
    }

    #[test]
    fn addresses_of_registries_are_found() {
        let tree = Tree::from([
            (
                "a.toml",
                "[registries.mirror]\nindex = \"sparse+https://a.example/\"",
            ),
            (
                "package-lock.json",
                "{ \"resolved\": \"https://a.example/x.tgz\" }",
            ),
            (
                "Cargo.lock",
                "source = \"registry+https://github.com/rust-lang/crates.io-index\"",
            ),
        ]);
        assert_eq!(
            shown(&check(&tree)),
            [
                "a.toml:1: `[registries`: each machine sets its own registries",
                "package-lock.json:1: `\"resolved\": \"http`: each machine sets its own registries",
            ]
        );
    }
}
