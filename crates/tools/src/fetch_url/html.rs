//! Reads HTML as a person would: what is said, in which order, with headings, lists and links.
//! No more than that: no layout, no scripts, no styles.

use reqwest::Url;

use super::entities::decoded;
use super::tags::{Token, Tokens, attribute};

/// What is left of the markup.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Style {
    /// Headings, lists, emphasis, code and links as Markdown.
    Markdown,
    /// Nothing.
    Plain,
}

/// The text of a page. Links are made whole with the address of the page.
pub(super) fn read(html: &str, style: Style, base: &Url) -> String {
    let mut page = Page {
        style,
        base,
        out: String::new(),
        breaks: 0,
        space: false,
        pre: 0,
        quotes: 0,
        lists: Vec::new(),
        prefix: None,
        links: Vec::new(),
    };
    let mut tokens = Tokens::new(html);
    while let Some(token) = tokens.next() {
        match token {
            Token::Text(text) => page.text(&decoded(text)),
            Token::Open(name, _) if SKIPPED.contains(&name.as_str()) => tokens.skip_element(&name),
            Token::Open(name, attributes) => page.open(&name, attributes),
            Token::Close(name) => page.close(&name),
        }
    }
    page.out.trim().to_owned()
}

/// Elements whose content is not for reading.
const SKIPPED: &[&str] = &[
    "script", "style", "noscript", "template", "svg", "iframe", "object", "select", "textarea",
];

/// Quotes in quotes and lists in lists are shown this deep: a page may nest them without end.
const DEPTH_SHOWN_MAX: usize = 8;

struct Page<'a> {
    style: Style,
    base: &'a Url,
    out: String,
    /// Line breaks that are due before the next text.
    breaks: usize,
    /// Whether a space is due.
    space: bool,
    pre: usize,
    quotes: usize,
    /// The open lists: the next number of an ordered one.
    lists: Vec<Option<u32>>,
    /// What the next text begins with.
    prefix: Option<String>,
    /// The open links: the address, and whether text has come.
    links: Vec<(Option<String>, bool)>,
}

impl Page<'_> {
    fn text(&mut self, text: &str) {
        if self.pre > 0 {
            self.begin();
            self.out.push_str(text);
            return;
        }
        self.space |= text.starts_with(char::is_whitespace);
        for (index, word) in text.split_whitespace().enumerate() {
            self.space |= index > 0;
            self.begin();
            self.out.push_str(word);
        }
        self.space |= text.ends_with(char::is_whitespace) && !text.trim().is_empty();
    }

    /// Writes what is due before visible text.
    fn begin(&mut self) {
        let breaks = std::mem::take(&mut self.breaks);
        let space = std::mem::take(&mut self.space);
        if self.out.is_empty() || breaks > 0 {
            let end = self.out.trim_end_matches(' ').len();
            self.out.truncate(end);
            if !self.out.is_empty() {
                self.out.push_str(&"\n".repeat(breaks));
            }
            if self.style == Style::Markdown {
                self.out
                    .push_str(&"> ".repeat(self.quotes.min(DEPTH_SHOWN_MAX)));
            }
        } else if space && !self.out.ends_with(char::is_whitespace) {
            self.out.push(' ');
        }
        if let Some(prefix) = self.prefix.take() {
            self.out.push_str(&prefix);
        }
        if let Some((address, begun @ false)) = self.links.last_mut() {
            *begun = true;
            if address.is_some() {
                self.out.push('[');
            }
        }
    }

    fn block(&mut self, breaks: usize) {
        if breaks > 0 {
            self.breaks = self.breaks.max(breaks);
            self.space = false;
        }
    }

    fn mark(&mut self, mark: &str) {
        if self.style == Style::Markdown && self.pre == 0 {
            self.begin();
            self.out.push_str(mark);
        }
    }

    fn open(&mut self, name: &str, attributes: &str) {
        match name {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.block(2);
                let level = usize::from(name.as_bytes()[1] - b'0');
                self.prefix_in_markdown(format!("{} ", "#".repeat(level)));
            }
            "title" => self.prefix_in_markdown("# ".to_owned()),
            "br" => self.block(1),
            "hr" => {
                self.block(2);
                self.mark("---");
                self.block(2);
            }
            "ul" | "menu" => self.lists.push(None),
            "ol" => self.lists.push(Some(1)),
            "li" => self.item(),
            "pre" => {
                self.block(2);
                self.mark("```\n");
                self.pre += 1;
            }
            "blockquote" => {
                self.block(2);
                self.quotes += 1;
            }
            "code" | "kbd" => self.mark("`"),
            "td" | "th" => self.cell(),
            "a" => {
                let address = attribute(attributes, "href").and_then(|href| self.whole(href));
                self.links.push((address, false));
            }
            "img" => {
                let alt = attribute(attributes, "alt").map(decoded);
                if let Some(alt) = alt.filter(|alt| !alt.trim().is_empty()) {
                    self.text(&format!(" [image: {}] ", alt.trim()));
                }
            }
            name => self.block(breaks_around(name)),
        }
    }

    fn close(&mut self, name: &str) {
        match name {
            "ul" | "ol" | "menu" => {
                self.lists.pop();
                self.block(if self.lists.is_empty() { 2 } else { 1 });
            }
            "pre" if self.pre > 0 => {
                self.pre -= 1;
                if !self.out.ends_with('\n') {
                    self.out.push('\n');
                }
                self.mark("```");
                self.block(2);
            }
            "blockquote" => {
                self.quotes = self.quotes.saturating_sub(1);
                self.block(2);
            }
            "code" | "kbd" => {
                self.space = false;
                self.mark("`");
            }
            "a" => {
                if let Some((Some(address), true)) = self.links.pop() {
                    self.out.push_str(&format!("]({address})"));
                }
            }
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "title" => self.block(2),
            "li" => self.block(1),
            name => self.block(breaks_around(name)),
        }
    }

    fn prefix_in_markdown(&mut self, prefix: String) {
        if self.style == Style::Markdown {
            self.prefix = Some(prefix);
        }
    }

    fn item(&mut self) {
        self.block(1);
        let depth = self.lists.len().saturating_sub(1);
        let mark = match self.lists.last_mut() {
            Some(Some(number)) => {
                *number = number.saturating_add(1);
                format!("{}. ", *number - 1)
            }
            Some(None) | None => "- ".to_owned(),
        };
        self.prefix = Some(format!("{}{mark}", "  ".repeat(depth.min(DEPTH_SHOWN_MAX))));
    }

    fn cell(&mut self) {
        let line_start = self.breaks > 0 || self.out.is_empty();
        if !line_start && self.pre == 0 {
            self.space = true;
            self.text(" | ");
        }
    }

    /// The whole address of a link that leads somewhere.
    fn whole(&self, href: &str) -> Option<String> {
        let href = decoded(href.trim());
        if self.style == Style::Plain || href.is_empty() || href.starts_with('#') {
            return None;
        }
        let url = self.base.join(&href).ok()?;
        matches!(url.scheme(), "http" | "https" | "mailto").then(|| url.to_string())
    }
}

/// Line breaks before and after an element: none inside a line.
fn breaks_around(name: &str) -> usize {
    match name {
        "p" | "section" | "article" | "table" | "dl" | "figure" | "main" | "header" | "footer"
        | "nav" | "aside" | "form" | "details" => 2,
        "div" | "tr" | "dt" | "dd" | "caption" | "figcaption" | "summary" | "address"
        | "option" | "body" | "head" | "fieldset" | "legend" => 1,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(style: Style, html: &str, expected: &str) {
        let base = Url::parse("https://example.org/docs/a.html").expect("a URL");
        assert_eq!(read(html, style, &base), expected, "{html}");
    }

    #[test]
    fn a_page_becomes_markdown() {
        check(
            Style::Markdown,
            "<html><head><title>The &amp; Title</title><style>p{}</style></head><body>\
             <h2>Head\n line</h2><p>Some <b>bold</b>\n  text, <a href='../x?a=1&amp;b=2'>a link</a>.\
             </p><script>alert('<p>no</p>')</script><p>Next<br>line</body></html>",
            "# The & Title\n\n## Head line\n\nSome bold text, [a \
             link](https://example.org/x?a=1&b=2).\n\nNext\nline",
        );
    }

    #[test]
    fn lists_code_tables_and_quotes_keep_their_form() {
        check(
            Style::Markdown,
            "<ul><li>one<ol><li>a</li><li>b</li></ol></li><li>two</li></ul>after",
            "- one\n  1. a\n  2. b\n- two\n\nafter",
        );
        check(
            Style::Markdown,
            "<p>Use <code>a  b</code>:</p><pre><code>x &lt; 1\n  y</code></pre>",
            "Use `a b`:\n\n```\nx < 1\n  y\n```",
        );
        check(
            Style::Markdown,
            "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>",
            "a | b\n1 | 2",
        );
        check(
            Style::Markdown,
            "<blockquote><p>x</p><p>y</p></blockquote>z",
            "> x\n\n> y\n\nz",
        );
    }

    #[test]
    fn plain_text_has_no_marks() {
        check(
            Style::Plain,
            "<h1>Head</h1><p>A <a href='/x'>link</a> and <code>code</code></p><ul><li>one</ul>",
            "Head\n\nA link and code\n\n- one",
        );
    }

    #[test]
    fn links_that_lead_nowhere_are_only_text() {
        for href in ["#top", "javascript:alert(1)", "data:text/html,x", ""] {
            check(
                Style::Markdown,
                &format!("<a href=\"{href}\">text</a>"),
                "text",
            );
        }
        check(
            Style::Markdown,
            "<a href='/x'><img alt='logo'></a>",
            "[[image: logo]](https://example.org/x)",
        );
        check(Style::Markdown, "<a href='/x'></a>text", "text");
    }

    #[test]
    fn broken_pages_are_read_as_far_as_they_go() {
        check(
            Style::Markdown,
            "a </p></ul></pre></a></blockquote> b",
            "a\n\nb",
        );
        check(Style::Markdown, "1 < 2 <script>never ends", "1 < 2");
        check(Style::Markdown, "", "");
        let deep = "<ul><li>".repeat(20_000);
        let base = Url::parse("https://example.org").expect("a URL");
        assert!(read(&format!("{deep}x"), Style::Markdown, &base).ends_with("- x"));
    }
}
