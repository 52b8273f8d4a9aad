//! What to say about a file that is not there.

use std::fs;

use crate::Output;
use crate::limits::{NEAR_NAMES_COMPARED_MAX, NEAR_NAMES_MAX};
use crate::paths::Place;

/// Says what is missing, the file or a directory on the way, and what is there that is called
/// almost alike.
pub(crate) fn missing(place: &Place) -> Output {
    let shown = &place.shown;
    let (Some(parent), Some(name)) = (place.path.parent(), place.path.file_name()) else {
        return Output::failure(format!("`{shown}` does not exist"));
    };
    let Ok(entries) = fs::read_dir(parent) else {
        return Output::failure(format!(
            "`{shown}` does not exist, nor does its directory; use list_dir on a directory above"
        ));
    };
    let names: Vec<String> = entries
        .take(NEAR_NAMES_COMPARED_MAX)
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    let near = near_names(&name.to_string_lossy(), &names);
    if near.is_empty() {
        let text = format!("`{shown}` does not exist; use list_dir to see what is there");
        return Output::failure(text);
    }
    let near = near
        .iter()
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ");
    Output::failure(format!(
        "`{shown}` does not exist. In the same directory there is {near}"
    ))
}

/// Case does not count in the comparison: it is what is most often wrong.
fn near_names<'a>(name: &str, names: &'a [String]) -> Vec<&'a str> {
    const LIKENESS_MIN: f32 = 0.6;
    let lower: Vec<String> = names.iter().map(|name| name.to_lowercase()).collect();
    let lower: Vec<&str> = lower.iter().map(String::as_str).collect();
    let near =
        similar::get_close_matches(&*name.to_lowercase(), &lower, NEAR_NAMES_MAX, LIKENESS_MIN);
    let mut found = Vec::new();
    for near in near {
        let same = names
            .iter()
            .zip(&lower)
            .filter(|(_, lower)| **lower == near);
        found.extend(same.map(|(name, _)| name.as_str()));
    }
    found.sort_unstable();
    found.dedup();
    found.truncate(NEAR_NAMES_MAX);
    found
}
