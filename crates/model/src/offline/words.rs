//! Takes sentences apart: words at the start, quotes, paths.

/// What follows one of the words, if the text begins with it.
pub(super) fn first_of<'a>(text: &'a str, words: &[&str]) -> Option<&'a str> {
    let text = text.trim_start();
    words.iter().find_map(|word| {
        let head = text.get(..word.len())?;
        let rest = &text[word.len()..];
        let is_whole = word.ends_with([':', ',']) || !continues_word(rest);
        (head.eq_ignore_ascii_case(word) && is_whole).then(|| rest.trim_start())
    })
}

/// The text without any of the words at its start.
pub(super) fn strip_any<'a>(text: &'a str, words: &[&str]) -> &'a str {
    let mut text = text.trim_start();
    while let Some(rest) = first_of(text, words).filter(|rest| !rest.is_empty()) {
        text = rest;
    }
    text
}

/// What stands in quotes at the start, and what follows.
pub(super) fn quoted(text: &str) -> Option<(&str, &str)> {
    let open = text.chars().next().filter(|c| "\"'`“‘«".contains(*c))?;
    let close = match open {
        '“' => '”',
        '‘' => '’',
        '«' => '»',
        same => same,
    };
    let inside = text.trim_start_matches(open);
    let end = inside.find(close)?;
    let rest = inside[end..].trim_start_matches(close);
    (end > 0).then(|| (inside[..end].trim_matches('\n'), rest.trim_start()))
}

/// A path at the start of the text, and what follows. Without quotes it must look like one, unless
/// it stands alone.
pub(super) fn path(text: &str) -> Option<(String, &str)> {
    if let Some((inside, rest)) = quoted(text) {
        return Some((inside.trim().to_owned(), rest));
    }
    let word = text.split_whitespace().next()?;
    let rest = text[word.len()..].trim_start();
    let path = bare(word);
    let looks_like_one =
        path.contains(['.', '/', '\\']) || path.chars().next().is_some_and(char::is_uppercase);
    (!path.is_empty() && (looks_like_one || rest.is_empty())).then(|| (path.to_owned(), rest))
}

/// A directory; what stands for the place we are in is `.`.
pub(super) fn directory(text: &str) -> String {
    let text = strip_any(
        text,
        &["the", "this", "my", "current", "directory", "folder"],
    );
    let path = match quoted(text) {
        Some((inside, _)) => inside,
        None => bare(text.split_whitespace().next().unwrap_or_default()),
    };
    const HERE: &[&str] = &[
        "",
        "it",
        "here",
        "there",
        "current",
        "this",
        "directory",
        "folder",
        "workspace",
        "project",
        "repository",
        "repo",
    ];
    let is_here = HERE.iter().any(|word| word.eq_ignore_ascii_case(path));
    if is_here {
        ".".to_owned()
    } else {
        path.to_owned()
    }
}

/// What to write: the inside of quotes if they hold all of it.
pub(super) fn content(text: &str) -> String {
    match quoted(text) {
        Some((inside, "" | "." | "!")) => inside.to_owned(),
        _ => text.trim_end().to_owned(),
    }
}

pub(super) fn is_blank(text: &str) -> bool {
    bare(text.trim()).is_empty()
}

pub(super) fn is_one_word(text: &str) -> bool {
    quoted(text).is_some() || text.split_whitespace().count() == 1
}

/// A word without the punctuation of the sentence around it; `.` and `..` are paths.
fn bare(word: &str) -> &str {
    let word = word.trim_end_matches([',', ';', ':', '!', '?', ')']);
    if word.chars().all(|c| c == '.') {
        word
    } else {
        word.trim_end_matches('.')
    }
}

/// Whether the text is the rest of a longer word or path, such as `.txt` or `-l`.
fn continues_word(rest: &str) -> bool {
    let mut chars = rest.chars();
    match chars.next() {
        Some('.' | '-' | '/') => chars.next().is_some_and(|next| !next.is_whitespace()),
        Some(next) => next.is_alphanumeric() || next == '_',
        None => false,
    }
}
