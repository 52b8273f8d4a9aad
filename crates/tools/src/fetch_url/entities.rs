//! Characters that HTML writes with an ampersand.

use std::borrow::Cow;

/// The longest name that is looked up, with room for numbers.
const NAME_BYTES_MAX: usize = 12;

/// Those that turn up in real pages; the rest of the long list is for formulas.
const NAMED: &[(&str, char)] = &[
    ("amp", '&'),
    ("lt", '<'),
    ("gt", '>'),
    ("quot", '"'),
    ("apos", '\''),
    ("nbsp", ' '),
    ("copy", '©'),
    ("reg", '®'),
    ("trade", '™'),
    ("hellip", '…'),
    ("mdash", '—'),
    ("ndash", '–'),
    ("lsquo", '‘'),
    ("rsquo", '’'),
    ("ldquo", '“'),
    ("rdquo", '”'),
    ("laquo", '«'),
    ("raquo", '»'),
    ("bull", '•'),
    ("middot", '·'),
    ("times", '×'),
    ("rarr", '→'),
    ("larr", '←'),
    ("euro", '€'),
    ("pound", '£'),
    ("sect", '§'),
    ("para", '¶'),
    ("deg", '°'),
    ("auml", 'ä'),
    ("ouml", 'ö'),
    ("uuml", 'ü'),
    ("Auml", 'Ä'),
    ("Ouml", 'Ö'),
    ("Uuml", 'Ü'),
    ("szlig", 'ß'),
    ("eacute", 'é'),
    ("egrave", 'è'),
    ("agrave", 'à'),
    ("ccedil", 'ç'),
    ("shy", '\u{ad}'),
    ("zwnj", '\u{200c}'),
];

/// The text with its characters in place. What is no entity stays as it is.
pub(super) fn decoded(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('&') {
        out.push_str(&rest[..start]);
        rest = &rest[start..];
        let end = rest
            .bytes()
            .take(NAME_BYTES_MAX)
            .position(|byte| byte == b';');
        match end.and_then(|end| Some((end, character(&rest[1..end])?))) {
            Some((end, character)) => {
                out.push(character);
                rest = &rest[end + 1..];
            }
            None => {
                out.push('&');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

fn character(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(digits) => u32::from_str_radix(digits, 16),
            None => number.parse(),
        };
        return char::from_u32(code.ok()?).filter(|character| *character != '\0');
    }
    let found = NAMED.iter().find(|(known, _)| *known == name);
    found.map(|(_, character)| *character)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entities_become_characters_and_the_rest_stays() {
        for (text, expected) in [
            ("a &amp; b &lt;c&gt;", "a & b <c>"),
            ("&#65;&#x42;&#X43;", "ABC"),
            ("&nbsp;&hellip;&Uuml;", " …Ü"),
            (
                "AT&T &unknown; &; & &#; &#xD800; &#0;",
                "AT&T &unknown; &; & &#; &#xD800; &#0;",
            ),
            ("&amp;lt;", "&lt;"),
            ("&é;", "&é;"),
        ] {
            assert_eq!(decoded(text), expected);
        }
    }
}
