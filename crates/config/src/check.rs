//! Walks a file along the schema: refuses values of the wrong shape, names keys that mean nothing,
//! and collects every secret in it, used or not.

use codewhale_protocol::Secret;

use crate::file::{Document, Node, Table, Value};
use crate::hooks::{self, HOOKS};
use crate::schema::{PROFILES, ROWS, Row};
use crate::{Error, Warning};

/// A suggestion that differs in more places than this is a guess.
pub(crate) const SUGGESTION_DISTANCE_MAX: usize = 3;

#[derive(Default)]
pub(crate) struct Findings {
    pub(crate) warnings: Vec<Warning>,
    pub(crate) secrets: Vec<Secret>,
}

pub(crate) fn check(document: &Document) -> Result<Findings, Error> {
    let mut walk = Walk {
        document,
        outside: Vec::new(),
        inside: Vec::new(),
        findings: Findings::default(),
    };
    walk.table(&document.root)?;
    Ok(walk.findings)
}

struct Walk<'a> {
    document: &'a Document,
    /// The way to the profile, if the walk is in one.
    outside: Vec<&'a str>,
    /// The way from there, which is what the schema describes.
    inside: Vec<&'a str>,
    findings: Findings,
}

impl<'a> Walk<'a> {
    fn table(&mut self, table: &'a Table) -> Result<(), Error> {
        for (key, node) in table {
            if self.inside.is_empty() && self.outside.is_empty() && key == PROFILES {
                self.profiles(node)?;
                continue;
            }
            if self.inside.is_empty() && key == HOOKS {
                self.hooks(node)?;
                continue;
            }
            self.inside.push(key);
            self.node(node)?;
            self.inside.pop();
        }
        Ok(())
    }

    fn profiles(&mut self, node: &'a Node) -> Result<(), Error> {
        self.outside.push(PROFILES);
        for (name, profile) in self.expect_table(node)? {
            self.outside.push(name);
            let table = self.expect_table(profile)?;
            self.table(table)?;
            self.outside.pop();
        }
        self.outside.pop();
        Ok(())
    }

    /// Hooks are a list, which the schema does not describe.
    fn hooks(&mut self, node: &'a Node) -> Result<(), Error> {
        let key = self.key(&[HOOKS]);
        let read = hooks::read(&self.document.path, &key, node)?;
        self.findings.warnings.extend(read.warnings);
        Ok(())
    }

    fn node(&mut self, node: &'a Node) -> Result<(), Error> {
        match place(&self.inside) {
            Place::Key(row) => {
                let secrets =
                    (row.check)(&node.value).map_err(|_| self.wrong(node, row.expected))?;
                self.findings.secrets.extend(secrets);
                Ok(())
            }
            Place::Table => {
                let table = self.expect_table(node)?;
                self.table(table)
            }
            Place::Nowhere => {
                let warning = Warning::UnknownKey {
                    file: self.document.path.clone(),
                    line: node.line,
                    key: self.key(&self.inside),
                    suggestion: nearest(&self.inside).map(|path| self.key(&path)),
                };
                self.findings.warnings.push(warning);
                Ok(())
            }
        }
    }

    fn expect_table(&self, node: &'a Node) -> Result<&'a Table, Error> {
        match &node.value {
            Value::Table(table) => Ok(table),
            _ => Err(self.wrong(node, "a table")),
        }
    }

    fn wrong(&self, node: &Node, expected: &'static str) -> Error {
        Error::WrongValue {
            path: self.document.path.clone(),
            line: node.line,
            key: self.key(&self.inside),
            expected,
        }
    }

    /// A way as it is written in a file.
    fn key(&self, inside: &[&str]) -> String {
        let parts = self.outside.iter().chain(inside).map(|part| quote(part));
        parts.collect::<Vec<_>>().join(".")
    }
}

/// What the schema has at the end of a way.
pub(crate) enum Place {
    Key(&'static Row),
    Table,
    Nowhere,
}

pub(crate) fn place(way: &[&str]) -> Place {
    let mut place = Place::Nowhere;
    for (row, path) in paths() {
        let mut parts = path.split('.');
        let agrees = |step: &&str| {
            parts
                .next()
                .is_some_and(|part| part == "*" || part == *step)
        };
        if !way.iter().all(agrees) {
            continue;
        }
        match parts.next() {
            Some(_) => place = Place::Table,
            None => return Place::Key(row),
        }
    }
    place
}

fn paths() -> impl Iterator<Item = (&'static Row, &'static str)> {
    ROWS.iter()
        .flat_map(|row| row.paths.iter().map(move |path| (row, *path)))
}

/// The key that was probably meant: one that is spelled much like it, or has the same last part
/// elsewhere.
pub(crate) fn nearest<'a>(way: &[&'a str]) -> Option<Vec<&'a str>> {
    let wanted = way.join(".");
    let last = way.last()?;
    let (distance, path) = ROWS
        .iter()
        .map(|row| fill(row.paths[0], way))
        .map(|path| {
            let whole = strsim::osa_distance(&wanted, &path.join("."));
            let part = strsim::osa_distance(last, path.last().unwrap_or(&""));
            (whole.min(part + 1), path)
        })
        .min_by_key(|(distance, _)| *distance)?;
    let distance_max = SUGGESTION_DISTANCE_MAX.min(last.chars().count() / 2);
    (distance <= distance_max).then_some(path)
}

/// A path with the names of a way in the places where it has a `*`.
fn fill<'a>(path: &'static str, way: &[&'a str]) -> Vec<&'a str> {
    let parts = path.split('.').enumerate();
    parts
        .map(|(at, part)| match (part, way.get(at)) {
            ("*", Some(name)) => *name,
            ("*", None) => "<name>",
            (part, _) => part,
        })
        .collect()
}

/// A part of a key as it is written in a file.
pub(crate) fn quote(part: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || "_-<>".contains(c);
    if !part.is_empty() && part.chars().all(is_bare) {
        part.to_owned()
    } else {
        format!("{part:?}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_nearest(way: &str, expect: Option<&str>) {
        let way: Vec<_> = way.split('.').collect();
        let found = nearest(&way).map(|path| path.join("."));
        assert_eq!(found.as_deref(), expect, "{way:?}");
    }

    #[test]
    fn a_misspelled_or_misplaced_key_leads_to_the_right_one() {
        check_nearest("modle", Some("model"));
        check_nearest("Provider", Some("provider"));
        check_nearest("retry.max_retry", Some("retry.max_retries"));
        check_nearest("cors_origins", Some("runtime_api.cors_origins"));
        check_nearest("runtime_api.cors_origin", Some("runtime_api.cors_origins"));
        check_nearest("providers.mine.baseurl", Some("providers.mine.base_url"));
        check_nearest(
            "providers.mine.contextwindow",
            Some("providers.mine.context_window"),
        );
    }

    #[test]
    fn a_key_that_resembles_nothing_gets_no_suggestion() {
        for way in [
            "tui",
            "hooks",
            "memory",
            "hotbar_theme",
            "providers.mine.path_suffix",
            "a",
        ] {
            check_nearest(way, None);
        }
    }

    #[test]
    fn parts_that_need_quotes_get_them() {
        let cases = [
            ("a-b_1", "a-b_1"),
            ("a.b", "\"a.b\""),
            ("", "\"\""),
            ("a\n", "\"a\\n\""),
        ];
        for (part, expect) in cases {
            assert_eq!(quote(part), expect);
        }
    }
}
