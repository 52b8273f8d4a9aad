//! Files that are pictures, for models that see.

use std::fs::{self, File};
use std::io::Read;

use codewhale_protocol::runtime::{ATTACHMENT_BYTES_MAX, Attached, MediaKind, MediaType};
use serde_json::json;

use super::find_file;
use crate::Output;
use crate::limits::KIND_BYTES;
use crate::paths::Place;

/// The picture in a file, if there is one that models take.
pub(super) fn read(place: &Place) -> Option<Output> {
    let bytes = find_file(place).ok()?;
    if bytes > ATTACHMENT_BYTES_MAX as u64 || !is_picture(place)? {
        return None;
    }
    let attached = Attached::of(&fs::read(&place.path).ok()?).ok()?;
    let (shown, kind) = (&place.shown, attached.media_type.as_str());
    let text = format!("[image 1: `{shown}`, {kind}, {bytes} bytes]");
    let facts = json!({"path": shown, "kind": kind, "bytes": bytes});
    let output = Output::success(text).with_metadata(facts);
    Some(output.with_attached(vec![attached]))
}

fn is_picture(place: &Place) -> Option<bool> {
    let mut start = Vec::new();
    let file = File::open(&place.path).ok()?;
    file.take(KIND_BYTES as u64).read_to_end(&mut start).ok()?;
    let form = MediaType::of(&start);
    Some(form.is_some_and(|form| form.kind() == MediaKind::Image))
}
