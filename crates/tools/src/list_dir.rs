//! `list_dir`: what is in a directory.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;

use codewhale_policy::Act;
use codewhale_protocol::runtime::ItemKind;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::blocking::{blocking, reading};
use crate::limits::{ENTRIES_MAX, LISTING_BYTES_MAX};
use crate::paths::Place;
use crate::typed::Typed;
use crate::{Context, Output, Prepared, Preview};

/// Lists the entries of a directory, hidden ones included, one per line in the order of their
/// names. A directory ends with `/`, a file is followed by its size in bytes, a symbolic link by
/// its target. Does not look into subdirectories. Lists at most 500 entries.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The directory: a path relative to the workspace, or an absolute path. Default: the
    /// workspace itself.
    path: Option<String>,
}

pub(crate) struct ListDir;

impl Typed for ListDir {
    const NAME: &'static str = "list_dir";
    const ALIASES: &'static [&'static str] = &[];
    const ACT: Act = Act::Read;
    const KIND: ItemKind = ItemKind::ToolCall;
    type Input = Input;

    async fn prepare(input: Input, context: &Context) -> Result<Prepared, Output> {
        let roots = context.roots();
        let given = input.path.unwrap_or_else(|| ".".into());
        let place = blocking(move || Place::find(&roots, &given)).await?;
        let preview = Preview {
            description: format!("List {}", place.shown),
            path: Some(place.path.display().to_string()),
            ..Preview::default()
        };
        let demand = place.read_demand();
        Ok(Prepared::new(demand, Self::NAME, place, preview, run))
    }
}

async fn run(place: Place, context: Context) -> Output {
    reading(&context.cancel, move || list(&place)).await
}

fn list(place: &Place) -> Result<Output, Output> {
    place.check_unmoved()?;
    let shown = &place.shown;
    let (names, total) = first_names(&place.path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => Output::failure(format!(
            "`{shown}` does not exist; use list_dir on a directory above it"
        )),
        io::ErrorKind::NotADirectory => Output::failure(format!(
            "`{shown}` is not a directory; use read_file to read a file"
        )),
        _ => Output::failure(format!("could not list `{shown}`: {error}")),
    })?;

    let mut text = String::new();
    let mut listed = 0;
    for name in &names {
        let line = entry_line(&place.path.join(name), &name.to_string_lossy());
        if text.len() + line.len() > LISTING_BYTES_MAX {
            break;
        }
        text.push_str(&line);
        listed += 1;
    }
    if total == 0 {
        text.push_str(&format!("[`{shown}` is empty]"));
    } else if listed < total {
        let more = total - listed;
        text.push_str(&format!("[{more} more of {total} entries are not listed]"));
    }
    let metadata = json!({"path": shown, "entries": total, "truncated": listed < total});
    Ok(Output::success(text).with_metadata(metadata))
}

/// The first names in their order, and how many there are in all. Memory does not grow with the
/// directory.
fn first_names(directory: &Path) -> io::Result<(BTreeSet<OsString>, usize)> {
    let mut names = BTreeSet::new();
    let mut total = 0;
    for entry in fs::read_dir(directory)? {
        names.insert(entry?.file_name());
        total += 1;
        if names.len() > ENTRIES_MAX {
            names.pop_last();
        }
    }
    Ok((names, total))
}

fn entry_line(path: &Path, name: &str) -> String {
    let name = one_line(name);
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => format!("{name}/\n"),
        Ok(found) if found.is_file() => format!("{name} {}\n", found.len()),
        Ok(found) if found.is_symlink() => match fs::read_link(path) {
            Ok(target) => format!("{name} -> {}\n", one_line(&target.to_string_lossy())),
            Err(_) => format!("{name} -> ?\n"),
        },
        Ok(_) => format!("{name} (neither file nor directory)\n"),
        // Gone since its name was read.
        Err(_) => format!("{name} ?\n"),
    }
}

/// A name with a line break in it must not look like two entries.
fn one_line(name: &str) -> String {
    if name.contains(char::is_control) {
        name.escape_debug().to_string()
    } else {
        name.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    use super::*;
    use crate::testing::Bench;

    async fn check(bench: &Bench, path: &str, text: &str) {
        let output = bench.call("list_dir", json!({"path": path})).await;
        assert_eq!((output.success, output.text.as_str()), (true, text));
    }

    async fn failure(bench: &Bench, path: &str) -> String {
        let output = bench.call("list_dir", json!({"path": path})).await;
        assert!(!output.success);
        output.text
    }

    #[tokio::test]
    async fn entries_come_in_order_each_with_what_it_is() {
        let bench = Bench::new();
        bench.write("b.txt", "12345");
        bench.write("a/inner", "");
        bench.write(".hidden", "");
        bench.write("日本.md", "ü");
        bench.write("two\nlines", "");
        symlink("a/inner", bench.workspace.join("link")).unwrap();
        let _socket = UnixListener::bind(bench.workspace.join("socket")).unwrap();
        let text = ".hidden 0\na/\nb.txt 5\nlink -> a/inner\n\
                    socket (neither file nor directory)\ntwo\\nlines 0\n日本.md 2\n";
        check(&bench, ".", text).await;
        let output = bench.call("list_dir", json!({})).await;
        assert_eq!(output.text, text);
        let metadata = json!({"path": ".", "entries": 7, "truncated": false});
        assert_eq!(output.metadata, Some(metadata));
    }

    #[tokio::test]
    async fn an_empty_directory_says_so() {
        let bench = Bench::new();
        check(&bench, ".", "[`.` is empty]").await;
    }

    #[tokio::test]
    async fn a_large_directory_is_cut_and_counted() {
        let bench = Bench::new();
        for number in 0..ENTRIES_MAX + 7 {
            bench.write(format!("{number:04}"), "");
        }
        let output = bench.call("list_dir", json!({"path": "."})).await;
        assert!(output.text.starts_with("0000 0\n0001 0\n"));
        assert!(
            output
                .text
                .ends_with("0499 0\n[7 more of 507 entries are not listed]")
        );
    }

    #[tokio::test]
    async fn long_names_end_the_listing_before_the_count_does() {
        let bench = Bench::new();
        for number in 0..300 {
            bench.write(format!("{number:03}{}", "x".repeat(240)), "");
        }
        let output = bench.call("list_dir", json!({})).await;
        assert!(output.text.len() < LISTING_BYTES_MAX + 100);
        assert!(
            output
                .text
                .ends_with("[92 more of 300 entries are not listed]")
        );
    }

    #[tokio::test]
    async fn what_cannot_be_listed_says_what_to_do() {
        let bench = Bench::new();
        bench.write("file", "");
        assert!(
            failure(&bench, "none")
                .await
                .contains("list_dir on a directory above")
        );
        assert!(failure(&bench, "file").await.contains("use read_file"));
        assert!(failure(&bench, "").await.contains("the path is empty"));
    }

    #[tokio::test]
    async fn a_directory_outside_asks_for_more() {
        let bench = Bench::new();
        symlink(&bench.outside, bench.workspace.join("exit")).unwrap();
        for (path, is_outside) in [(".", false), ("..", true), ("exit", true), ("/", true)] {
            let prepared = bench
                .prepare("list_dir", json!({"path": path}))
                .await
                .unwrap();
            assert_eq!(prepared.demand.act(), Act::Read);
            assert_eq!(prepared.demand.is_outside(), is_outside, "{path}");
        }
    }

    #[tokio::test]
    async fn a_cancelled_turn_lists_nothing() {
        let bench = Bench::new();
        bench.cancel.cancel();
        assert!(failure(&bench, ".").await.contains("interrupted"));
    }
}
