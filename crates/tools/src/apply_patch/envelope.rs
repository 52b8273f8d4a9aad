//! Reads the form that begins with `*** Begin Patch`.

use super::patch::{Action, FilePatch, Hunk};
use super::unified::transported;

const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";
const END_OF_FILE: &str = "*** End of File";

/// Whether a patch is written in this form.
pub(super) fn is_envelope(patch: &str) -> bool {
    patch.trim_start().starts_with(BEGIN)
}

pub(super) fn read(patch: &str) -> Result<Vec<FilePatch>, String> {
    let patch = transported(patch);
    let mut lines = patch.trim().split('\n').peekable();
    lines.next();
    let mut files = Vec::new();
    loop {
        let Some(line) = lines.next() else {
            return Err(format!(
                "it does not end with `{END}`; it may have been cut off"
            ));
        };
        if line.trim_end() == END {
            break;
        }
        if line.trim().is_empty() {
            continue;
        }
        let Some((verb, path)) = header(line) else {
            return Err(format!(
                "{line:?} stands where `*** Add File: `, `*** Update File: ` or \
                 `*** Delete File: ` with a path must stand"
            ));
        };
        let mut body = Vec::new();
        while let Some(line) = lines.next_if(|line| !is_header(line)) {
            body.push(line);
        }
        let action = match verb {
            Verb::Add => added(&path, &body)?,
            Verb::Delete => Action::Delete(Vec::new()),
            Verb::Update => updated(&path, &body)?,
        };
        files.push(FilePatch { path, action });
    }
    if lines.any(|line| !line.trim().is_empty()) {
        return Err(format!("something follows `{END}`"));
    }
    Ok(files)
}

enum Verb {
    Add,
    Delete,
    Update,
}

fn header(line: &str) -> Option<(Verb, String)> {
    let (verb, path) = line.strip_prefix("*** ")?.split_once(':')?;
    let verb = match verb {
        "Add File" => Verb::Add,
        "Delete File" => Verb::Delete,
        "Update File" => Verb::Update,
        _ => return None,
    };
    let path = path.trim();
    (!path.is_empty()).then(|| (verb, path.to_owned()))
}

fn is_header(line: &str) -> bool {
    header(line).is_some() || line.trim_end() == END
}

fn added(path: &str, body: &[&str]) -> Result<Action, String> {
    let mut content = String::new();
    for line in body {
        let Some(line) = line.strip_prefix('+') else {
            return Err(format!(
                "{line:?} in the new file {path} does not begin with `+`"
            ));
        };
        content.push_str(line);
        content.push('\n');
    }
    Ok(Action::Create(content))
}

fn updated(path: &str, body: &[&str]) -> Result<Action, String> {
    let mut body = body.iter().copied().peekable();
    let moved_to = body.next_if(|line| line.starts_with("*** Move to:"));
    let moved_to = moved_to.and_then(|line| line.split_once(':'));
    let moved_to = moved_to.map(|(_, path)| path.trim().to_owned());
    let mut hunks: Vec<Hunk> = Vec::new();
    for line in body {
        if let Some(anchor) = line.strip_prefix("@@") {
            hunks.push(started(line, anchor));
            continue;
        }
        if hunks.is_empty() {
            hunks.push(started("@@", ""));
        }
        let hunk = hunks.last_mut().expect("one was just put there");
        if line.trim_end() == END_OF_FILE {
            hunk.at_end = true;
        } else if !hunk.push(line) {
            return Err(format!(
                "{line:?} in the update of {path} begins neither with a space nor with `+`, `-` \
                 or `@@`"
            ));
        }
    }
    hunks.iter_mut().for_each(Hunk::trim_end);
    // Several anchors one below the other lead deeper and deeper; the last one counts.
    let hunks: Vec<Hunk> = hunks
        .into_iter()
        .filter(|hunk| !hunk.lines.is_empty())
        .collect();
    if hunks.is_empty() && moved_to.is_none() {
        return Err(format!("the update of {path} changes nothing"));
    }
    Ok(Action::Update { hunks, moved_to })
}

fn started(header: &str, anchor: &str) -> Hunk {
    let anchor = anchor.trim().trim_end_matches("@@").trim();
    Hunk {
        header: header.trim().to_owned(),
        anchor: (!anchor.is_empty()).then(|| anchor.to_owned()),
        ..Hunk::default()
    }
}
