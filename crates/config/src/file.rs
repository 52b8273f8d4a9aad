//! The configuration file: from bytes to a tree that knows its lines and keeps its order.

use std::fs;
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::Error;
use crate::limits::FILE_BYTES_MAX;

/// A file that was read. Holds secrets, so it cannot be shown.
pub(crate) struct Document {
    pub(crate) path: PathBuf,
    pub(crate) root: Table,
}

/// A value with the line its key stands in.
#[derive(Clone)]
pub(crate) struct Node {
    pub(crate) line: usize,
    pub(crate) value: Value,
}

#[derive(Clone)]
pub(crate) enum Value {
    Text(String),
    Whole(i64),
    Number(f64),
    Flag(bool),
    List(Vec<Value>),
    Table(Table),
    /// A date, or a number that is out of range: no key takes one.
    Other,
}

/// Keys and their values as they stand in the file.
pub(crate) type Table = Vec<(String, Node)>;

/// Reads a file; `None` if there is none.
pub(crate) fn read(path: &Path) -> Result<Option<Document>, Error> {
    let failed = |source| Error::Read {
        path: path.to_owned(),
        source,
    };
    let file = match fs::File::open(path) {
        Ok(file) => file,
        Err(error) if is_absent(error.kind()) => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    let mut text = String::new();
    file.take(FILE_BYTES_MAX + 1)
        .read_to_string(&mut text)
        .map_err(failed)?;
    if text.len() as u64 > FILE_BYTES_MAX {
        return Err(Error::TooLong {
            path: path.to_owned(),
            bytes_max: FILE_BYTES_MAX,
        });
    }
    of_text(path, &text).map(Some)
}

/// Reads the text of a file.
pub(crate) fn of_text(path: &Path, text: &str) -> Result<Document, Error> {
    let root = parse(text).map_err(|problem| problem.at(path))?;
    let path = path.to_owned();
    Ok(Document { path, root })
}

/// A file where its directory should be is for those to tell who need the directory.
fn is_absent(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// What is wrong with a text. Without the text itself, which may hold a key right there.
#[derive(PartialEq, Debug)]
struct Problem {
    line: usize,
    column: usize,
    message: String,
}

impl Problem {
    fn at(self, path: &Path) -> Error {
        Error::Syntax {
            path: path.to_owned(),
            line: self.line,
            column: self.column,
            problem: self.message,
        }
    }
}

fn parse(text: &str) -> Result<Table, Problem> {
    let lines = Lines::of(text);
    let table = DeTable::parse(text).map_err(|error| {
        let (line, column) = lines.position(error.span().map_or(0, |span| span.start));
        Problem {
            line,
            column,
            message: error.message().lines().collect::<Vec<_>>().join(", "),
        }
    })?;
    Ok(convert_table(table.into_inner(), &lines))
}

fn convert_table(table: DeTable<'_>, lines: &Lines) -> Table {
    let mut entries: Vec<_> = table.into_iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    entries
        .into_iter()
        .map(|(key, value)| {
            let (line, _) = lines.position(key.span().start);
            let value = convert(value, lines);
            (key.into_inner().into_owned(), Node { line, value })
        })
        .collect()
}

fn convert(value: Spanned<DeValue<'_>>, lines: &Lines) -> Value {
    match value.into_inner() {
        DeValue::String(text) => Value::Text(text.into_owned()),
        DeValue::Integer(digits) => {
            i64::from_str_radix(digits.as_str(), digits.radix()).map_or(Value::Other, Value::Whole)
        }
        DeValue::Float(digits) => digits.as_str().parse().map_or(Value::Other, Value::Number),
        DeValue::Boolean(flag) => Value::Flag(flag),
        DeValue::Datetime(_) => Value::Other,
        DeValue::Array(values) => Value::List(
            values
                .into_iter()
                .map(|value| convert(value, lines))
                .collect(),
        ),
        DeValue::Table(table) => Value::Table(convert_table(table, lines)),
    }
}

/// Where each line begins.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Self {
        let behind_breaks = text.match_indices('\n').map(|(at, _)| at + 1);
        Self([0].into_iter().chain(behind_breaks).collect())
    }

    /// Line and column of a byte, both from one.
    fn position(&self, at: usize) -> (usize, usize) {
        let line = self.0.partition_point(|start| *start <= at);
        (line, at - self.0[line - 1] + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(table: &Table) -> Vec<(&str, usize)> {
        table
            .iter()
            .map(|(key, node)| (key.as_str(), node.line))
            .collect()
    }

    #[test]
    fn tables_keep_the_order_of_the_file_and_know_their_lines() {
        let root = parse("\u{feff}z = 1\n[p.b]\nx = 2\n[p.a]\n[c]\n")
            .ok()
            .unwrap();
        assert_eq!(keys(&root), [("z", 1), ("p", 2), ("c", 5)]);
        let Value::Table(p) = &root[1].1.value else {
            panic!("p is a table")
        };
        assert_eq!(keys(p), [("b", 2), ("a", 4)]);
    }

    #[test]
    fn a_problem_names_its_place_and_never_shows_the_text() {
        let cases = [
            ("a = 1\nkey = \"sk-hidden", 2),
            ("key = sk-hidden", 1),
            ("key = \"a\"\n\nkey = \"sk-hidden\"", 3),
            ("[a]\nkey = \"\\xsk-hidden\"", 2),
        ];
        for (text, line) in cases {
            let problem = parse(text).err().expect(text);
            assert_eq!(problem.line, line, "{problem:?}");
            assert!(!format!("{problem:?}").contains("hidden"), "{problem:?}");
        }
    }

    #[test]
    fn positions_count_from_one() {
        let lines = Lines::of("ab\nc\n");
        let positions = [0, 1, 2, 3, 5].map(|at| lines.position(at));
        assert_eq!(positions, [(1, 1), (1, 2), (1, 3), (2, 1), (3, 1)]);
    }
}
