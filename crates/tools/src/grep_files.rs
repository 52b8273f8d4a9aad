//! `grep_files`: lines of files that match a pattern.

mod matches;

use std::ops::ControlFlow;

use codewhale_policy::Act;
use codewhale_protocol::runtime::ItemKind;
use grep_matcher::LineTerminator;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::blocking::{blocking, reading};
use crate::globs::{Globs, one_or_many};
use crate::limits::{
    CONTEXT_LINES_MAX, FOUND_DEFAULT, FOUND_MAX, PATTERN_BYTES_MAX, PROBLEM_BYTES_MAX,
    SEARCHED_BYTES_MAX,
};
use crate::paths::Place;
use crate::typed::Typed;
use crate::walk::{Ended, shown, walk};
use crate::{Context, Output, Prepared, Preview};
use matches::Matches;

/// Searches the content of files with a regular expression, line by line. Returns matching lines
/// as `path:line:text` and lines around them as `path-line-text`. Files that `.gitignore` names
/// and binary files are left out. Long lines are cut.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The regular expression (Rust syntax: no look-around, no back references). Escape characters
    /// that should be taken literally, such as `\(`.
    pattern: String,
    /// The file or directory to search: a path relative to the workspace, or an absolute path.
    /// Default: the workspace itself.
    path: Option<String>,
    /// Only files whose names or paths fit one of these patterns, such as `*.rs`.
    #[serde(default, deserialize_with = "one_or_many")]
    include: Vec<String>,
    /// Leave out files and directories that fit one of these patterns.
    #[serde(default, deserialize_with = "one_or_many")]
    exclude: Vec<String>,
    /// How many lines to show before and after each match, up to 20. Default: 0.
    context_lines: Option<usize>,
    /// Whether upper and lower case are the same. Default: false.
    case_insensitive: Option<bool>,
    /// How many matching lines to return at most, up to 1000. Default: 100.
    max_results: Option<usize>,
}

pub(crate) struct GrepFiles;

impl Typed for GrepFiles {
    const NAME: &'static str = "grep_files";
    const ALIASES: &'static [&'static str] = &[];
    const ACT: Act = Act::Read;
    const KIND: ItemKind = ItemKind::ToolCall;
    type Input = Input;

    async fn prepare(input: Input, context: &Context) -> Result<Prepared, Output> {
        let roots = context.roots();
        let given = input.path.unwrap_or_else(|| ".".into());
        let root = blocking(move || Place::find(&roots, &given)).await?;
        let effect = Effect {
            root,
            pattern: input.pattern,
            include: input.include,
            exclude: input.exclude,
            context_lines: input.context_lines.unwrap_or(0).min(CONTEXT_LINES_MAX),
            case_insensitive: input.case_insensitive.unwrap_or(false),
            results_max: input
                .max_results
                .unwrap_or(FOUND_DEFAULT)
                .clamp(1, FOUND_MAX),
        };
        matcher(&effect)?;
        Globs::new("include", &effect.include)?;
        Globs::new("exclude", &effect.exclude)?;
        let preview = Preview {
            description: format!(
                "Search the files in {} for {:?}",
                effect.root.shown, effect.pattern
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
    pattern: String,
    include: Vec<String>,
    exclude: Vec<String>,
    context_lines: usize,
    case_insensitive: bool,
    results_max: usize,
}

async fn run(effect: Effect, context: Context) -> Output {
    let cancel = context.cancel.clone();
    reading(&context.cancel, move || search(&effect, &cancel)).await
}

fn matcher(effect: &Effect) -> Result<RegexMatcher, Output> {
    if effect.pattern.is_empty() {
        return Err(Output::failure(
            "the pattern is empty; it would match every line",
        ));
    }
    let built = RegexMatcherBuilder::new()
        .case_insensitive(effect.case_insensitive)
        .size_limit(PATTERN_BYTES_MAX)
        .dfa_size_limit(PATTERN_BYTES_MAX)
        .crlf(true)
        .build(&effect.pattern);
    built.map_err(|error| {
        let error = error.to_string();
        let error = &error[..error.floor_char_boundary(PROBLEM_BYTES_MAX)];
        Output::failure(format!(
            "the pattern cannot be used: {error}\nIt is matched line by line. Escape characters \
             that mean something in a regular expression, such as `(` or `{{`"
        ))
    })
}

fn searcher(effect: &Effect) -> Searcher {
    SearcherBuilder::new()
        .line_terminator(LineTerminator::crlf())
        .line_number(true)
        .before_context(effect.context_lines)
        .after_context(effect.context_lines)
        .heap_limit(Some(SEARCHED_BYTES_MAX as usize))
        .binary_detection(BinaryDetection::quit(0))
        .build()
}

fn search(effect: &Effect, cancel: &CancellationToken) -> Result<Output, Output> {
    let matcher = matcher(effect)?;
    let include = Globs::new("include", &effect.include)?;
    let exclude = Globs::new("exclude", &effect.exclude)?;
    let mut searcher = searcher(effect);
    let mut matches = Matches::new(effect.results_max);
    let (mut searched, mut skipped) = (0_u64, 0_u64);
    let ended = walk(&effect.root, exclude, cancel, |below, entry| {
        if !include.is_empty() && !include.fit(below) {
            return ControlFlow::Continue(());
        }
        let is_data = entry
            .metadata()
            .is_ok_and(|found| found.len() > SEARCHED_BYTES_MAX);
        let mut sink = matches.file(shown(&effect.root, below));
        if is_data
            || searcher
                .search_path(&matcher, entry.path(), &mut sink)
                .is_err()
        {
            skipped += 1;
        } else {
            searched += 1;
        }
        match matches.is_full() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    })?;
    Ok(answer(effect, matches, searched, skipped, ended))
}

fn answer(effect: &Effect, matches: Matches, searched: u64, skipped: u64, ended: Ended) -> Output {
    let (full, found) = (matches.is_full(), matches.found());
    let mut text = matches.into_text();
    let mut notes: Vec<String> = ended.note().into_iter().collect();
    if full {
        notes.push(format!(
            "stopped at {found} matching lines; narrow the pattern, path or include, or raise \
             max_results (at most {FOUND_MAX})"
        ));
    } else if found == 0 {
        notes.push(format!("no line matches in the {searched} files searched"));
    }
    if skipped > 0 {
        notes.push(format!(
            "{skipped} files could not be searched or are too large"
        ));
    }
    text.push_str(
        &notes
            .iter()
            .map(|note| format!("[{note}]"))
            .collect::<String>(),
    );
    Output::success(text).with_metadata(json!({
        "path": effect.root.shown,
        "matches": found,
        "files_searched": searched,
        "truncated": full,
        "complete": ended.facts(),
    }))
}

#[cfg(test)]
mod tests;
