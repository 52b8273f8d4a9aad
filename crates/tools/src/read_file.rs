//! `read_file`: the text of a file.

mod picture;

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Cursor, Read, Seek};
use std::num::NonZeroU64;

use codewhale_policy::Act;
use codewhale_protocol::runtime::ItemKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::blocking::{blocking, reading};
use crate::buffers::OpenFiles;
use crate::digest::sha256_of;
use crate::expected::short;
use crate::kind::binary_kind;
use crate::limits::{CONTENT_BYTES_MAX, KIND_BYTES, READ_BYTES_MAX, SKIP_BYTES_MAX};
use crate::missing::missing;
use crate::paths::Place;
use crate::typed::Typed;
use crate::{Context, Output, Prepared, Preview};

/// Reads a text file. Returns its content exactly as it is, without line numbers, at most 50 KiB
/// at a time. Lines in brackets at the end are not part of it: they tell how to read on when there
/// is more, and the SHA-256 of the file, for expected_hash. A picture is shown if you can see; any
/// other binary file is described instead.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The file: a path relative to the workspace, or an absolute path.
    path: String,
    /// The first line to return, counted from 1. Default: 1.
    #[serde(alias = "offset")]
    start_line: Option<NonZeroU64>,
    /// How many lines to return at most. Default: as many as fit.
    #[serde(alias = "limit")]
    max_lines: Option<NonZeroU64>,
}

pub(crate) struct ReadFile;

impl Typed for ReadFile {
    const NAME: &'static str = "read_file";
    const ALIASES: &'static [&'static str] = &["read"];
    const ACT: Act = Act::Read;
    const KIND: ItemKind = ItemKind::ToolCall;
    type Input = Input;

    async fn prepare(input: Input, context: &Context) -> Result<Prepared, Output> {
        let roots = context.roots();
        let place = blocking(move || Place::find(&roots, &input.path)).await?;
        let preview = Preview {
            description: format!("Read {}", place.shown),
            path: Some(place.path.display().to_string()),
            ..Preview::default()
        };
        let demand = place.read_demand();
        let effect = Effect {
            place,
            start_line: input.start_line.map_or(1, NonZeroU64::get),
            max_lines: input.max_lines.map_or(u64::MAX, NonZeroU64::get),
        };
        Ok(Prepared::new(demand, Self::NAME, effect, preview, run))
    }
}

#[derive(Serialize)]
struct Effect {
    place: Place,
    start_line: u64,
    max_lines: u64,
}

async fn run(effect: Effect, context: Context) -> Output {
    let (files, sees) = (context.files.clone(), context.sees);
    reading(&context.cancel, move || {
        if sees && let Some(picture) = picture::read(&effect.place) {
            return Ok(picture);
        }
        read(&effect, &files)
    })
    .await
}

fn read(effect: &Effect, files: &OpenFiles) -> Result<Output, Output> {
    let place = &effect.place;
    let failed = |error| Output::failure(format!("could not read `{}`: {error}", place.shown));
    let bytes_total = find_file(place)?;
    if files.is_there() && bytes_total <= CONTENT_BYTES_MAX as u64 {
        let on_disk = fs::read(&place.path).map_err(failed)?;
        let text = files.read(&place.path, &on_disk).unwrap_or(on_disk);
        let bytes_total = text.len() as u64;
        return read_from(effect, Cursor::new(text), bytes_total);
    }
    let file = File::open(&place.path).map_err(failed)?;
    let file = BufReader::with_capacity(KIND_BYTES, file);
    read_from(effect, file, bytes_total)
}

fn read_from(
    effect: &Effect,
    mut file: impl BufRead + Seek,
    bytes_total: u64,
) -> Result<Output, Output> {
    let Effect {
        place,
        start_line,
        max_lines,
    } = effect;
    let failed = |error| Output::failure(format!("could not read `{}`: {error}", place.shown));
    if let Some(kind) = binary_kind(first(file.fill_buf().map_err(failed)?)) {
        return Ok(described(place, kind, bytes_total));
    }
    match skip_lines(&mut file, start_line - 1).map_err(failed)? {
        Skipped::All => {}
        Skipped::FileEnded { lines } => return Err(behind_the_end(place, *start_line, lines)),
        Skipped::TooFar => return Err(too_far(place, *start_line)),
    }
    let slice = take_lines(&mut file, *max_lines).map_err(failed)?;
    if slice.lines == 0 && *start_line > 1 {
        return Err(behind_the_end(place, *start_line, start_line - 1));
    }
    let hash = hash_of(&mut file, bytes_total).map_err(failed)?;
    Ok(shown_slice(place, *start_line, &slice, hash.as_deref()))
}

/// What tells the kind of a file.
fn first(bytes: &[u8]) -> &[u8] {
    &bytes[..bytes.len().min(KIND_BYTES)]
}

/// Makes sure that there is a file to read: opening some other things would wait for ever.
/// Answers with its size.
fn find_file(place: &Place) -> Result<u64, Output> {
    place.check_unmoved()?;
    let shown = &place.shown;
    let problem = match fs::metadata(&place.path) {
        Ok(found) if found.is_file() => return Ok(found.len()),
        Ok(found) if found.is_dir() => {
            format!("`{shown}` is a directory; use list_dir to see what is in it")
        }
        Ok(_) => format!("`{shown}` is neither a file nor a directory; it cannot be read"),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(missing(place)),
        Err(error) => format!("could not read `{shown}`: {error}"),
    };
    Err(Output::failure(problem))
}

/// The SHA-256 of the whole file, whatever part of it was asked for: what other tools compare
/// with before they change it. A file that is too large to be changed needs none.
fn hash_of(file: &mut (impl BufRead + Seek), bytes_total: u64) -> io::Result<Option<String>> {
    if bytes_total > CONTENT_BYTES_MAX as u64 {
        return Ok(None);
    }
    file.rewind()?;
    sha256_of(&mut file.take(CONTENT_BYTES_MAX as u64)).map(Some)
}

enum Skipped {
    All,
    FileEnded { lines: u64 },
    TooFar,
}

fn skip_lines(file: &mut impl BufRead, wanted: u64) -> io::Result<Skipped> {
    let (mut lines, mut bytes, mut in_line) = (0, 0, false);
    while lines < wanted {
        let buffer = file.fill_buf()?;
        if buffer.is_empty() {
            return Ok(Skipped::FileEnded {
                lines: lines + u64::from(in_line),
            });
        }
        let newline = buffer.iter().position(|byte| *byte == b'\n');
        let taken = newline.map_or(buffer.len(), |position| position + 1);
        lines += u64::from(newline.is_some());
        in_line = newline.is_none();
        file.consume(taken);
        bytes += taken as u64;
        if bytes > SKIP_BYTES_MAX {
            return Ok(Skipped::TooFar);
        }
    }
    Ok(Skipped::All)
}

/// Whole lines, as many as fit.
struct Slice {
    bytes: Vec<u8>,
    lines: u64,
    rest: Rest,
}

/// What follows a slice.
enum Rest {
    Nothing,
    Lines,
    /// The only line of the slice was too long to fit.
    Line,
}

fn take_lines(file: &mut impl BufRead, lines_max: u64) -> io::Result<Slice> {
    let mut slice = Slice {
        bytes: Vec::new(),
        lines: 0,
        rest: Rest::Lines,
    };
    while slice.lines < lines_max {
        let before = slice.bytes.len();
        let room = READ_BYTES_MAX - before;
        let taken = file
            .by_ref()
            .take(room as u64 + 1)
            .read_until(b'\n', &mut slice.bytes)?;
        if taken == 0 {
            slice.rest = Rest::Nothing;
            return Ok(slice);
        }
        if taken > room && before > 0 {
            slice.bytes.truncate(before);
            return Ok(slice);
        }
        slice.lines += 1;
        if taken > room {
            slice.bytes.truncate(room);
            slice.rest = Rest::Line;
            return Ok(slice);
        }
    }
    if file.fill_buf()?.is_empty() {
        slice.rest = Rest::Nothing;
    }
    Ok(slice)
}

fn shown_slice(place: &Place, start_line: u64, slice: &Slice, hash: Option<&str>) -> Output {
    let shown = &place.shown;
    let end_line = start_line + slice.lines.max(1) - 1;
    let mut notes = Vec::new();
    match slice.rest {
        Rest::Nothing if slice.lines == 0 => notes.push(format!("`{shown}` is empty")),
        Rest::Nothing => {}
        Rest::Lines => notes.push(format!(
            "lines {start_line} to {end_line} of `{shown}`, which goes on; read on with \
             start_line {}",
            end_line + 1
        )),
        Rest::Line => notes.push(format!(
            "line {end_line} of `{shown}` is cut here, because it is longer than \
             {READ_BYTES_MAX} bytes; the line after it is start_line {}",
            end_line + 1
        )),
    }
    let torn = matches!(slice.rest, Rest::Line);
    let (mut text, replaced) = as_text(&slice.bytes, torn);
    if replaced > 0 {
        notes.push(format!(
            "{replaced} places are not UTF-8 and show as \u{fffd}; writing this text back would \
             lose them"
        ));
    }
    notes.extend(hash.map(|hash| version(slice, hash)));
    for note in &notes {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&format!("[{note}]"));
    }
    Output::success(text).with_metadata(json!({
        "path": shown,
        "start_line": start_line,
        "lines": slice.lines,
        "truncated": !matches!(slice.rest, Rest::Nothing),
        "sha256": hash,
    }))
}

/// Which version of the file this is, and how it ends where the line below would hide that.
fn version(slice: &Slice, hash: &str) -> String {
    let is_end = matches!(slice.rest, Rest::Nothing);
    let is_open = slice.bytes.last().is_some_and(|last| *last != b'\n');
    let ending = match is_end && is_open {
        true => "; no newline at the end",
        false => "",
    };
    format!("sha256 {}{ending}", short(hash))
}

/// The text, and how many places of it were not text. The last character of a cut line may be
/// cut itself; that is no flaw of the file.
fn as_text(bytes: &[u8], torn: bool) -> (String, usize) {
    let mut text = String::with_capacity(bytes.len());
    let mut replaced = 0;
    let mut chunks = bytes.utf8_chunks().peekable();
    while let Some(chunk) = chunks.next() {
        text.push_str(chunk.valid());
        let cut = torn && chunks.peek().is_none();
        if !chunk.invalid().is_empty() && !cut {
            text.push(char::REPLACEMENT_CHARACTER);
            replaced += 1;
        }
    }
    (text, replaced)
}

fn described(place: &Place, kind: &str, bytes: u64) -> Output {
    let shown = &place.shown;
    let text = format!("[`{shown}` is not text: {kind}, {bytes} bytes; its content is not shown]");
    Output::success(text).with_metadata(json!({"path": shown, "kind": kind, "bytes": bytes}))
}

fn behind_the_end(place: &Place, start: u64, lines: u64) -> Output {
    let shown = &place.shown;
    let lines = if lines == 1 {
        "1 line".into()
    } else {
        format!("{lines} lines")
    };
    Output::failure(format!(
        "`{shown}` has {lines}; start_line {start} is behind its end"
    ))
}

fn too_far(place: &Place, start: u64) -> Output {
    let shown = &place.shown;
    Output::failure(format!(
        "line {start} of `{shown}` lies more than {SKIP_BYTES_MAX} bytes into the file; use a \
         command that searches or cuts it"
    ))
}

#[cfg(test)]
mod tests;
