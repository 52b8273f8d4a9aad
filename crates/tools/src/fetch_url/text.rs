//! Makes readable text of what a host sent.

use encoding_rs::{Encoding, UTF_8};

use super::Format;
use super::client::Page;
use super::html::{self, Style};
use crate::kind::binary_kind;
use crate::limits::KIND_BYTES;

/// A body as far as it can be read.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Read {
    Text(String),
    /// What it is instead.
    Binary(String),
}

pub(super) fn readable(page: &Page, format: Format) -> Read {
    let content_type = page.content_type.as_deref().unwrap_or_default();
    let kind = content_type.split(';').next().unwrap_or_default();
    let kind = kind.trim().to_lowercase();
    let start = &page.body[..page.body.len().min(KIND_BYTES)];
    if !is_text(&kind) {
        return Read::Binary(kind);
    }
    let encoding = encoding_of(content_type, start);
    let is_wide = encoding.is_some_and(|encoding| !encoding.is_ascii_compatible());
    if let Some(kind) = binary_kind(start).filter(|_| !is_wide) {
        return Read::Binary(kind.to_owned());
    }
    let (text, ..) = encoding.unwrap_or(UTF_8).decode(&page.body);
    let looks_like_html = kind.is_empty() && text.trim_start().starts_with("<!");
    let is_html = kind.contains("html") || looks_like_html;
    let style = match (is_html, format) {
        (false, _) | (true, Format::Raw) => return Read::Text(text.into_owned()),
        (true, Format::Markdown) => Style::Markdown,
        (true, Format::Text) => Style::Plain,
    };
    Read::Text(html::read(&text, style, &page.url))
}

/// Without a content type, the bytes decide.
fn is_text(kind: &str) -> bool {
    const TEXT: &[&str] = &[
        "json",
        "xml",
        "javascript",
        "yaml",
        "toml",
        "x-sh",
        "sql",
        "graphql",
    ];
    let (group, name) = kind.split_once('/').unwrap_or((kind, ""));
    group.is_empty()
        || group == "text"
        || kind == "image/svg+xml"
        || (group == "application" && TEXT.iter().any(|text| name.contains(text)))
}

/// A mark at the start of the body comes first, then the header, then the page itself.
fn encoding_of(content_type: &str, start: &[u8]) -> Option<&'static Encoding> {
    if let Some((encoding, _)) = Encoding::for_bom(start) {
        return Some(encoding);
    }
    let header = charset_in(&content_type.to_lowercase());
    header.or_else(|| {
        let start = String::from_utf8_lossy(&start[..start.len().min(1024)]).to_lowercase();
        let meta = start.find("<meta")?;
        charset_in(&start[meta..])
    })
}

fn charset_in(text: &str) -> Option<&'static Encoding> {
    let (_, rest) = text.split_once("charset=")?;
    let rest = rest.trim_start_matches(['"', '\'', ' ']);
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || "-_:.".contains(c)));
    Encoding::for_label(&rest.as_bytes()[..end.unwrap_or(rest.len())])
}
