//! One word of a command: what the program receives, as far as the text alone tells.

use std::iter::Peekable;
use std::str::Chars;

/// A word with its quotes taken off.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Word {
    /// The text after unquoting. What expands is left as it was written.
    pub text: String,
    /// How much of it is known.
    pub form: Form,
}

/// How much of a word is known before it runs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Form {
    /// All of it.
    Literal,
    /// The shape: it names files by a pattern or starts at a home.
    Pattern,
    /// Nothing: a variable, a substitution or a list in braces stands in it.
    Open,
}

impl Word {
    /// A word that is wholly known.
    pub fn literal(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            form: Form::Literal,
        }
    }

    /// A word, or several, that only the running command will know.
    pub fn unknown() -> Self {
        Self {
            text: String::new(),
            form: Form::Open,
        }
    }

    /// Reads a word as it stands in a script.
    pub fn read(source: &str) -> Self {
        let mut reader = Reader {
            rest: source.chars().peekable(),
            text: String::with_capacity(source.len()),
            form: Form::Literal,
        };
        reader.run();
        Self {
            text: reader.text,
            form: reader.form,
        }
    }

    /// Whether all of it is known.
    pub fn is_literal(&self) -> bool {
        self.form == Form::Literal
    }

    /// Whether it may turn into anything at all.
    pub fn is_open(&self) -> bool {
        self.form == Form::Open
    }

    /// Whether it is written as an option.
    pub fn is_flag(&self) -> bool {
        self.text.len() > 1 && self.text.starts_with('-')
    }
}

struct Reader<'a> {
    rest: Peekable<Chars<'a>>,
    text: String,
    form: Form,
}

impl Reader<'_> {
    fn run(&mut self) {
        if self.rest.peek() == Some(&'~') {
            self.widen(Form::Pattern);
        }
        while let Some(character) = self.rest.next() {
            match character {
                '\'' => self.raw(),
                '"' => self.quoted(),
                '\\' => self.escaped(),
                '$' => self.dollar(Inside::Nothing),
                '`' => self.open('`'),
                // Alone it is the name of a program.
                '[' if !self.rest.clone().any(|it| it == ']') => self.text.push(character),
                '*' | '?' | '[' => {
                    self.widen(Form::Pattern);
                    self.text.push(character);
                }
                // Empty braces are no list: `find -exec` receives them as they are.
                '{' if self.rest.peek() == Some(&'}') => self.text.push(character),
                '{' | '(' | '<' | '>' => self.open(character),
                _ => self.text.push(character),
            }
        }
    }

    fn widen(&mut self, form: Form) {
        self.form = self.form.max(form);
    }

    fn open(&mut self, character: char) {
        self.widen(Form::Open);
        self.text.push(character);
    }

    /// Outside quotes. A line that goes on leaves nothing behind.
    fn escaped(&mut self) {
        match self.rest.next() {
            Some('\n') | None => {}
            Some(character) => self.text.push(character),
        }
    }

    fn raw(&mut self) {
        for character in self.rest.by_ref() {
            match character {
                '\'' => return,
                _ => self.text.push(character),
            }
        }
    }

    fn quoted(&mut self) {
        while let Some(character) = self.rest.next() {
            match character {
                '"' => return,
                '\\' => match self.rest.next() {
                    Some('\n') | None => {}
                    Some(next @ ('"' | '\\' | '$' | '`')) => self.text.push(next),
                    Some(next) => self.text.extend(['\\', next]),
                },
                '$' => self.dollar(Inside::Quotes),
                '`' => self.open('`'),
                _ => self.text.push(character),
            }
        }
    }

    fn dollar(&mut self, inside: Inside) {
        match (self.rest.peek().copied(), inside) {
            (Some('\''), Inside::Nothing) => {
                self.rest.next();
                self.ansi();
            }
            // Quoted for translation: a quoted string in every other way.
            (Some('"'), Inside::Nothing) => {
                self.rest.next();
                self.quoted();
            }
            (Some(next), _) if starts_expansion(next) => self.open('$'),
            _ => self.text.push('$'),
        }
    }

    /// `$'...'`, where a backslash spells characters.
    fn ansi(&mut self) {
        while let Some(character) = self.rest.next() {
            match character {
                '\'' => return,
                '\\' => self.ansi_escape(),
                _ => self.text.push(character),
            }
        }
    }

    fn ansi_escape(&mut self) {
        let Some(character) = self.rest.next() else {
            return;
        };
        let spelled = match character {
            'a' => Some('\u{7}'),
            'b' => Some('\u{8}'),
            'e' | 'E' => Some('\u{1b}'),
            'f' => Some('\u{c}'),
            'n' => Some('\n'),
            'r' => Some('\r'),
            't' => Some('\t'),
            'v' => Some('\u{b}'),
            '\\' | '\'' | '"' | '?' => Some(character),
            'x' => self.number(16, 2, 0),
            'u' => self.number(16, 4, 0),
            'U' => self.number(16, 8, 0),
            '0'..='7' => self.number(8, 2, character.to_digit(8).unwrap_or(0)),
            _ => None,
        };
        match spelled {
            // The shell ends the word there; other readers may not.
            Some('\0') | None => self.open(character),
            Some(spelled) => self.text.push(spelled),
        }
    }

    fn number(&mut self, radix: u32, digits_max: usize, first: u32) -> Option<char> {
        let mut value = first;
        for _ in 0..digits_max {
            let Some(digit) = self.rest.peek().and_then(|next| next.to_digit(radix)) else {
                break;
            };
            self.rest.next();
            value = value.wrapping_mul(radix).wrapping_add(digit);
        }
        // A byte above ASCII is part of some other character: nothing to be sure about.
        let is_byte = digits_max == 2;
        char::from_u32(value).filter(|_| !is_byte || value < 0x80)
    }
}

#[derive(Clone, Copy)]
enum Inside {
    Nothing,
    Quotes,
}

fn starts_expansion(next: char) -> bool {
    next.is_alphanumeric()
        || matches!(
            next,
            '_' | '{' | '(' | '[' | '@' | '*' | '#' | '?' | '-' | '$' | '!'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_and_escapes_come_off_as_the_shell_takes_them_off() {
        for (source, text) in [
            ("plain", "plain"),
            (r"r\m", "rm"),
            (r#"r""m"#, "rm"),
            ("'r'\"m\"", "rm"),
            (r"$'\x72\155'", "rm"),
            (r"$'\u0072m'", "rm"),
            (r#""a\"b\c""#, r#"a"b\c"#),
            (r"'a\'", r"a\"),
            ("a\\\nb", "ab"),
            ("\"a\\\nb\"", "ab"),
            (r"a\ b", "a b"),
            ("$\"x\"", "x"),
            ("cost$", "cost$"),
        ] {
            assert_eq!(Word::read(source), Word::literal(text), "{source}");
        }
    }

    #[test]
    fn a_word_knows_what_it_does_not_know() {
        for (source, form) in [
            ("a*", Form::Pattern),
            ("'a*'", Form::Literal),
            ("~/x", Form::Pattern),
            ("'~'/x", Form::Literal),
            ("a[1]", Form::Pattern),
            ("$X", Form::Open),
            ("\"$X\"", Form::Open),
            ("'$X'", Form::Literal),
            (r"\$X", Form::Literal),
            ("$(x)", Form::Open),
            ("`x`", Form::Open),
            ("{a,b}", Form::Open),
            ("<(x)", Form::Open),
            (r"$'\xff'", Form::Open),
            (r"$'a\0b'", Form::Open),
        ] {
            assert_eq!(Word::read(source).form, form, "{source}");
        }
    }
}
