//! `retrieve_tool_result`: parts of a result that was too long.

use codewhale_policy::{Act, Demand};
use codewhale_protocol::runtime::ItemKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::blocking::reading;
use crate::limits::{FOUND_DEFAULT, LINE_BYTES_MAX, READ_BYTES_MAX, REFERENCE_BYTES_MAX};
use crate::typed::Typed;
use crate::{Context, Output, Prepared, Preview};

/// Reads a result that was too long to be shown whole, by the `ref` in its last line. Returns at
/// most 50 KiB at a time.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The reference, as the cut result names it.
    #[serde(rename = "ref")]
    reference: String,
    /// What to return: `summary` (size and both ends), `metadata` (size alone), `head`, `tail` or
    /// `lines` (by `start_line` and `max_lines`), `query` (lines that contain a text) or `bytes`
    /// (by `offset` and `max_bytes`). Default: summary.
    #[serde(default)]
    mode: Mode,
    /// For `lines`: the first line, counted from 1. Default: 1.
    start_line: Option<usize>,
    /// For `head`, `tail`, `lines` and `query`: how many lines at most. Default: 100.
    max_lines: Option<usize>,
    /// For `query`: the text to look for; case does not matter.
    query: Option<String>,
    /// For `bytes`: where to begin. Default: 0.
    offset: Option<usize>,
    /// For `bytes`: how many bytes at most. Default: as many as fit.
    max_bytes: Option<usize>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Mode {
    Metadata,
    #[default]
    Summary,
    Head,
    Tail,
    Lines,
    Query,
    Bytes,
}

/// The part that is wanted.
#[derive(Serialize)]
enum Part {
    Metadata,
    Summary,
    Head(usize),
    Tail(usize),
    Lines { start: usize, count: usize },
    Query { text: String, count: usize },
    Bytes { offset: usize, count: usize },
}

#[derive(Serialize)]
struct Effect {
    reference: String,
    part: Part,
}

pub(crate) struct RetrieveToolResult;

impl Typed for RetrieveToolResult {
    const NAME: &'static str = "retrieve_tool_result";
    const ALIASES: &'static [&'static str] = &[];
    const ACT: Act = Act::Inward;
    const KIND: ItemKind = ItemKind::ToolCall;
    type Input = Input;

    async fn prepare(input: Input, _: &Context) -> Result<Prepared, Output> {
        check_reference(&input.reference)?;
        let part = part_of(&input)?;
        let preview = Preview {
            description: format!("Read the result {}", input.reference),
            ..Preview::default()
        };
        let effect = Effect {
            reference: input.reference,
            part,
        };
        Ok(Prepared::new(
            Demand::Inward,
            Self::NAME,
            effect,
            preview,
            run,
        ))
    }
}

/// A reference may become the name of a file; it must not become a path.
fn check_reference(reference: &str) -> Result<(), Output> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.:".contains(c);
    let is_plain = reference.chars().all(plain) && !reference.contains("..");
    match is_plain && (1..=REFERENCE_BYTES_MAX).contains(&reference.len()) {
        true => Ok(()),
        false => Err(Output::failure(
            "`ref` is no reference; take it from the last line of a result that was cut",
        )),
    }
}

fn part_of(input: &Input) -> Result<Part, Output> {
    let count = input.max_lines.unwrap_or(FOUND_DEFAULT).max(1);
    Ok(match input.mode {
        Mode::Metadata => Part::Metadata,
        Mode::Summary => Part::Summary,
        Mode::Head => Part::Head(count),
        Mode::Tail => Part::Tail(count),
        Mode::Lines => Part::Lines {
            start: input.start_line.unwrap_or(1).max(1),
            count,
        },
        Mode::Query => match input.query.as_deref().filter(|query| !query.is_empty()) {
            Some(query) => Part::Query {
                text: query.to_lowercase(),
                count,
            },
            None => return Err(Output::failure("the mode `query` needs a `query`")),
        },
        Mode::Bytes => Part::Bytes {
            offset: input.offset.unwrap_or(0),
            count: input.max_bytes.unwrap_or(READ_BYTES_MAX).max(1),
        },
    })
}

async fn run(effect: Effect, context: Context) -> Output {
    let results = context.results.clone();
    reading(&context.cancel, move || {
        let Some(whole) = results.read(&effect.reference) else {
            return Err(Output::failure(format!(
                "there is no result {:?} (any more); repeat the call that made it",
                effect.reference
            )));
        };
        Ok(shown(&whole, &effect.part))
    })
    .await
}

fn shown(whole: &str, part: &Part) -> Output {
    let (bytes, lines) = (whole.len(), whole.lines().count());
    let text = match part {
        Part::Metadata => format!("[{bytes} bytes, {lines} lines]"),
        Part::Summary => {
            let (head, tail) = (head(whole, 20), tail(whole, 20));
            format!("[{bytes} bytes, {lines} lines; it begins]\n{head}\n[it ends]\n{tail}")
        }
        Part::Head(count) => head(whole, *count),
        Part::Tail(count) => tail(whole, *count),
        Part::Lines { start, .. } if *start > lines => {
            return Output::failure(format!("the result has only {lines} lines"));
        }
        Part::Lines { start, count } => {
            let wanted = whole.lines().skip(start - 1).take(*count);
            joined(wanted.map(str::to_owned))
        }
        Part::Query { text, count } => found(whole, text, *count),
        Part::Bytes { offset, .. } if *offset >= bytes => {
            return Output::failure(format!("the result has only {bytes} bytes"));
        }
        Part::Bytes { offset, count } => {
            let start = whole.floor_char_boundary(*offset);
            let end = start.saturating_add((*count).min(READ_BYTES_MAX));
            let end = whole.ceil_char_boundary(end.min(bytes));
            let text = &whole[start..end];
            match end < bytes {
                true => format!("{text}\n[read on with offset {end}]"),
                false => text.to_owned(),
            }
        }
    };
    Output::success(text).with_metadata(json!({"bytes": bytes, "lines": lines}))
}

fn head(whole: &str, count: usize) -> String {
    joined(whole.lines().take(count).map(str::to_owned))
}

fn tail(whole: &str, count: usize) -> String {
    let mut last: Vec<&str> = whole.lines().rev().take(count).collect();
    last.reverse();
    joined(last.into_iter().map(str::to_owned))
}

fn found(whole: &str, text: &str, count: usize) -> String {
    let lines = whole.lines().zip(1_usize..);
    let mut found = lines.filter(|(line, _)| line.to_lowercase().contains(text));
    let first = found.by_ref().take(count);
    let shown = joined(first.map(|(line, number)| format!("{number}: {}", cut(line))));
    match (shown.is_empty(), found.count()) {
        (true, _) => "[no line contains it]".to_owned(),
        (false, 0) => shown,
        (false, more) => format!("{shown}\n[{more} more lines contain it]"),
    }
}

fn cut(line: &str) -> &str {
    &line[..line.floor_char_boundary(LINE_BYTES_MAX)]
}

/// As many lines as fit.
fn joined(lines: impl Iterator<Item = String>) -> String {
    let mut text = String::new();
    for line in lines {
        let room = READ_BYTES_MAX.saturating_sub(text.len());
        if line.len() + 1 > room {
            text.push_str(&line[..line.floor_char_boundary(room)]);
            text.push_str("\n[cut here; take fewer lines, or the mode `bytes`]");
            return text;
        }
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&line);
    }
    text
}

#[cfg(test)]
mod tests;
