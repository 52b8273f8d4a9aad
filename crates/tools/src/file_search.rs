//! `file_search`: files by their names.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::Path;

use codewhale_policy::Act;
use codewhale_protocol::runtime::ItemKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::blocking::{blocking, reading};
use crate::globs::{Globs, one_or_many};
use crate::limits::{FOUND_BYTES_MAX, FOUND_DEFAULT, FOUND_MAX};
use crate::paths::Place;
use crate::typed::Typed;
use crate::walk::{Ended, shown, walk};
use crate::{Context, Output, Prepared, Preview};

/// Finds files by name or path, best matches first, one path per line. The query is a part of the
/// path (`parser`, `src/lib`), its letters in order (`mdpars` finds `model/parser.rs`), or a
/// pattern (`*.rs`, `src/**/test_*`). Case does not matter unless it is a pattern. Files that
/// `.gitignore` names are left out. Does not look into files: use grep_files for that.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// What to look for in the paths.
    query: String,
    /// The directory to search: a path relative to the workspace, or an absolute path. Default:
    /// the workspace itself.
    path: Option<String>,
    /// How many paths to return at most, up to 1000. Default: 100.
    limit: Option<usize>,
    /// Only files with one of these extensions, such as `rs`.
    #[serde(default, deserialize_with = "one_or_many")]
    extensions: Vec<String>,
    /// Patterns of names or paths to leave out, such as `node_modules` or `*.min.js`.
    #[serde(default, deserialize_with = "one_or_many")]
    exclude: Vec<String>,
}

pub(crate) struct FileSearch;

impl Typed for FileSearch {
    const NAME: &'static str = "file_search";
    const ALIASES: &'static [&'static str] = &[];
    const ACT: Act = Act::Read;
    const KIND: ItemKind = ItemKind::ToolCall;
    type Input = Input;

    async fn prepare(input: Input, context: &Context) -> Result<Prepared, Output> {
        let roots = context.roots();
        let given = input.path.unwrap_or_else(|| ".".into());
        let root = blocking(move || Place::find(&roots, &given)).await?;
        let effect = Effect {
            query: input.query,
            limit: input.limit.unwrap_or(FOUND_DEFAULT).clamp(1, FOUND_MAX),
            extensions: input.extensions,
            exclude: input.exclude,
            root,
        };
        Wanted::read(&effect)?;
        Globs::new("exclude", &effect.exclude)?;
        let preview = Preview {
            description: format!(
                "Search {} for files named {:?}",
                effect.root.shown, effect.query
            ),
            path: Some(effect.root.path.display().to_string()),
            ..Preview::default()
        };
        let demand = effect.root.read_demand();
        Ok(Prepared::new(demand, Self::NAME, effect, preview, run))
    }
}

#[derive(Serialize)]
struct Effect {
    root: Place,
    query: String,
    limit: usize,
    extensions: Vec<String>,
    exclude: Vec<String>,
}

async fn run(effect: Effect, context: Context) -> Output {
    let cancel = context.cancel.clone();
    reading(&context.cancel, move || search(&effect, &cancel)).await
}

fn search(effect: &Effect, cancel: &CancellationToken) -> Result<Output, Output> {
    let wanted = Wanted::read(effect)?;
    let exclude = Globs::new("exclude", &effect.exclude)?;
    let (mut best, mut close, mut loose) = (BTreeSet::new(), 0, 0);
    let ended = walk(&effect.root, exclude, cancel, |below, _| {
        if let Some(rank) = wanted.rank(below) {
            *(if rank < LOOSE { &mut close } else { &mut loose }) += 1;
            let path = shown(&effect.root, below);
            best.insert((rank, path.len(), path));
            if best.len() > effect.limit {
                best.pop_last();
            }
        }
        ControlFlow::Continue(())
    })?;
    // Letters in order are a guess, of use only when there is nothing better.
    let total = if close > 0 { close } else { loose };
    let paths = best
        .into_iter()
        .filter(|(rank, ..)| close == 0 || *rank < LOOSE);
    let paths = paths.map(|(.., path)| path);
    Ok(answer(effect, paths, total, ended))
}

fn answer(
    effect: &Effect,
    paths: impl Iterator<Item = String>,
    total: usize,
    ended: Ended,
) -> Output {
    let (mut text, mut listed) = (String::new(), 0);
    for path in paths {
        if text.len() + path.len() > FOUND_BYTES_MAX {
            break;
        }
        text.push_str(&path);
        text.push('\n');
        listed += 1;
    }
    let mut notes: Vec<String> = ended.note().into_iter().collect();
    if total == 0 {
        let (query, root) = (&effect.query, &effect.root.shown);
        notes.push(format!(
            "no file below `{root}` fits {query:?}; ignored files do not count"
        ));
    } else if listed < total {
        notes.push(format!("{} more of {total} are not listed", total - listed));
    }
    text.push_str(
        &notes
            .iter()
            .map(|note| format!("[{note}]"))
            .collect::<String>(),
    );
    Output::success(text).with_metadata(json!({
        "path": effect.root.shown,
        "found": total,
        "truncated": listed < total,
        "complete": ended.facts(),
    }))
}

/// From this rank on, a path has only the letters of the query.
const LOOSE: u8 = 5;

/// What a path must be like.
struct Wanted {
    query: Query,
    extensions: Vec<String>,
}

enum Query {
    Pattern(Globs),
    /// In lower case.
    Part(String),
}

impl Wanted {
    fn read(effect: &Effect) -> Result<Self, Output> {
        let query = effect.query.trim();
        let query = if query.is_empty() {
            return Err(Output::failure(
                "the query is empty; use list_dir to see a directory",
            ));
        } else if query.contains(['*', '?', '[', '{']) {
            Query::Pattern(Globs::new("query", &[query.to_owned()])?)
        } else {
            Query::Part(query.trim_start_matches("./").to_lowercase())
        };
        let extensions = effect.extensions.iter();
        let extensions = extensions.map(|it| it.trim_start_matches(['*', '.']).to_lowercase());
        Ok(Self {
            query,
            extensions: extensions.collect(),
        })
    }

    /// How well a path fits, the smaller the better. Nothing when it does not.
    fn rank(&self, below: &Path) -> Option<u8> {
        let path = below.to_string_lossy().to_lowercase();
        let has = |extension: &String| {
            let rest = path.strip_suffix(extension.as_str());
            rest.is_some_and(|rest| rest.ends_with('.'))
        };
        if !self.extensions.is_empty() && !self.extensions.iter().any(has) {
            return None;
        }
        let part = match &self.query {
            Query::Pattern(globs) => return globs.fit(below).then_some(0),
            Query::Part(part) => part,
        };
        let name = path.rsplit('/').next().unwrap_or(&path);
        let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
        let ranks = [
            name == part || path == *part,
            stem == part,
            name.starts_with(part.as_str()),
            name.contains(part.as_str()),
            path.contains(part.as_str()),
            in_order(part, name),
            in_order(part, &path),
        ];
        ranks
            .iter()
            .zip(0..)
            .find(|(fits, _)| **fits)
            .map(|(_, rank)| rank)
    }
}

/// Whether all characters of `part` come in `text`, in their order.
fn in_order(part: &str, text: &str) -> bool {
    let mut characters = text.chars();
    part.chars()
        .filter(|character| !character.is_whitespace())
        .all(|wanted| characters.any(|character| character == wanted))
}

#[cfg(test)]
mod tests;
