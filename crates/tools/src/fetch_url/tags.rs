//! Takes HTML apart into text and tags, whatever state it is in.

use crate::limits::TAG_BYTES_MAX;

/// A piece of a page.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Token<'a> {
    Text(&'a str),
    /// The name in lower case, and the attributes as they stand.
    Open(String, &'a str),
    Close(String),
}

/// The pieces of a page, one after another.
pub(super) struct Tokens<'a> {
    rest: &'a str,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(html: &'a str) -> Self {
        Self { rest: html }
    }

    /// Skips to the end of an element whose content is no text for people.
    pub(super) fn skip_element(&mut self, name: &str) {
        let mut from = 0;
        while let Some(found) = self.rest[from..].find("</") {
            let start = from + found + 2;
            let there = self.rest.as_bytes().get(start..start + name.len());
            if there.is_some_and(|there| there.eq_ignore_ascii_case(name.as_bytes())) {
                let end = self.rest[start..]
                    .find('>')
                    .map_or(self.rest.len(), |end| start + end + 1);
                self.rest = &self.rest[end..];
                return;
            }
            from = start;
        }
        self.rest = "";
    }

    /// Comments, declarations and processing instructions say nothing.
    fn skip_declaration(&mut self) {
        let (end, length) = match self.rest.starts_with("<!--") {
            true => (self.rest[4..].find("-->").map(|end| end + 4), 3),
            false => (self.rest.find('>'), 1),
        };
        self.rest = end.map_or("", |end| &self.rest[end + length..]);
    }

    fn tag(&mut self) -> Option<Token<'a>> {
        let inside = &self.rest[1..];
        let (closing, inside) = match inside.strip_prefix('/') {
            Some(inside) => (true, inside),
            None => (false, inside),
        };
        if !inside.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return None;
        }
        let end = tag_end(inside)?;
        let tag = &inside[..end];
        self.rest = &inside[end + 1..];
        let name_end = tag.find(|c: char| c.is_ascii_whitespace() || c == '/');
        let (name, attributes) = tag.split_at(name_end.unwrap_or(tag.len()));
        let name = name.to_ascii_lowercase();
        Some(match closing {
            true => Token::Close(name),
            false => Token::Open(name, attributes),
        })
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            if self.rest.is_empty() {
                return None;
            }
            if self.rest.starts_with("<!") || self.rest.starts_with("<?") {
                self.skip_declaration();
                continue;
            }
            if self.rest.starts_with('<')
                && let Some(tag) = self.tag()
            {
                return Some(tag);
            }
            // A bracket that begins no tag is a bracket.
            let end = memchr::memchr(b'<', &self.rest.as_bytes()[1..]);
            let end = end.map_or(self.rest.len(), |end| end + 1);
            let (text, rest) = self.rest.split_at(end);
            self.rest = rest;
            return Some(Token::Text(text));
        }
    }
}

/// Where a tag ends: at the first bracket outside of quotes. A tag without an end is none.
fn tag_end(tag: &str) -> Option<usize> {
    let mut quote = None;
    for (index, byte) in tag.bytes().enumerate().take(TAG_BYTES_MAX) {
        match (quote, byte) {
            (None, b'>') => return Some(index),
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), byte) if open == byte => quote = None,
            _ => {}
        }
    }
    None
}

/// The value of an attribute.
pub(super) fn attribute<'a>(attributes: &'a str, wanted: &str) -> Option<&'a str> {
    let mut rest = attributes;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '/');
        if rest.is_empty() {
            return None;
        }
        let name_end = rest.find(|c: char| c.is_ascii_whitespace() || c == '=' || c == '/');
        let (name, after) = rest.split_at(name_end.unwrap_or(rest.len()));
        let after = after.trim_start();
        let Some(value) = after.strip_prefix('=') else {
            // Always shorter than before: a name that is empty was a stray sign.
            rest = match name.is_empty() {
                true => rest.get(1..).unwrap_or_default(),
                false => after,
            };
            continue;
        };
        let value = value.trim_start();
        let (value, after) = match value.chars().next() {
            Some(quote @ ('"' | '\'')) => value[1..].split_once(quote).unwrap_or((&value[1..], "")),
            _ => {
                let end = value.find(|c: char| c.is_ascii_whitespace());
                value.split_at(end.unwrap_or(value.len()))
            }
        };
        if name.eq_ignore_ascii_case(wanted) {
            return Some(value);
        }
        rest = after;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_taken_apart() {
        let html = "<!doctype html><P class='a>b'>x < y<br/><!-- <i> --></p>";
        let tokens: Vec<Token<'_>> = Tokens::new(html).collect();
        let expected = [
            Token::Open("p".into(), " class='a>b'"),
            Token::Text("x "),
            Token::Text("< y"),
            Token::Open("br".into(), "/"),
            Token::Close("p".into()),
        ];
        assert_eq!(tokens, expected);
    }

    #[test]
    fn broken_pages_end() {
        for html in [
            "<",
            "<a",
            "<a href='",
            "</",
            "<!",
            "<!--",
            "<?",
            "é<é",
            "<a <a <a",
            "<<>>",
        ] {
            assert!(Tokens::new(html).count() < 9, "{html}");
        }
        assert_eq!(Tokens::new(&"<a '".repeat(50_000)).count(), 50_000);
    }

    #[test]
    fn attributes_are_found() {
        let attributes = r#" disabled HREF = "a b" src=c/d alt='' ="x""#;
        assert_eq!(attribute(attributes, "href"), Some("a b"));
        assert_eq!(attribute(attributes, "src"), Some("c/d"));
        assert_eq!(attribute(attributes, "alt"), Some(""));
        assert_eq!(attribute(attributes, "title"), None);
    }
}
