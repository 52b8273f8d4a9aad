//! A second reading of a script, by hand, for the plain part of the language.
//!
//! A grammar for editors forgives and guesses. Whoever lets a command run unasked must not: so the
//! words the grammar found are compared with those found here. Only lists, pipes, subshells,
//! substitutions and redirections are read; at anything else this reader gives up.

use std::ops::Range;

/// The words of one command, assignments included, redirections not, by their place in the text.
pub(super) type Places = Vec<Range<usize>>;

/// Something that this reader does not read.
#[derive(Debug)]
pub(super) struct GivesUp;

/// Finds every command, sorted by where it begins.
pub(super) fn read(text: &str) -> Result<Vec<Places>, GivesUp> {
    let mut reader = Reader {
        text: text.as_bytes(),
        at: 0,
        depth: 0,
        found: Vec::new(),
    };
    reader.list(Until::End)?;
    let mut found = reader.found;
    found.sort_by_key(|places| places.first().map(|place| place.start));
    Ok(found)
}

/// Nesting that is read; deeper is not plain.
const DEPTH_MAX: usize = 16;

/// Words that begin or continue a compound command where a command could stand.
const RESERVED: [&str; 20] = [
    "if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac",
    "select", "function", "coproc", "{", "}", "!", "[[", "in",
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Until {
    End,
    Parenthesis,
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
    depth: usize,
    found: Vec<Places>,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn starts(&self, what: &str) -> bool {
        self.text[self.at..].starts_with(what.as_bytes())
    }

    fn take(&mut self, what: &str) -> bool {
        let does = self.starts(what);
        if does {
            self.at += what.len();
        }
        does
    }

    fn list(&mut self, until: Until) -> Result<(), GivesUp> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(GivesUp);
        }
        loop {
            self.skip_blank_lines();
            match (self.peek(), until) {
                (None, Until::End) => break,
                (Some(b')'), Until::Parenthesis) => {
                    self.at += 1;
                    break;
                }
                (None, Until::Parenthesis) | (Some(b')'), Until::End) => return Err(GivesUp),
                _ => self.command()?,
            }
            if self.starts(";;") || self.starts(";&") {
                return Err(GivesUp);
            }
            let separators = ["&&", "||", "|&", "|", ";", "&", "\n"];
            let is_separated = separators.iter().any(|it| self.take(it));
            let is_over = matches!(self.peek(), None | Some(b')'));
            if !is_separated && !is_over {
                return Err(GivesUp);
            }
        }
        self.depth -= 1;
        Ok(())
    }

    /// One command or subshell with its redirections, up to what separates it from the next.
    fn command(&mut self) -> Result<(), GivesUp> {
        let mut places = Places::new();
        let mut is_subshell = false;
        let before = self.at;
        loop {
            self.skip_blanks();
            match self.peek() {
                None | Some(b'\n' | b';' | b'|' | b')') => break,
                Some(b'&') if !self.starts("&>") => break,
                Some(b'(') if places.is_empty() && !is_subshell => {
                    if self.starts("((") {
                        return Err(GivesUp);
                    }
                    self.at += 1;
                    is_subshell = true;
                    self.list(Until::Parenthesis)?;
                }
                Some(b'(') => return Err(GivesUp),
                Some(b'<' | b'>' | b'&') => self.redirection()?,
                Some(_) => {
                    let start = self.at;
                    self.word()?;
                    if matches!(self.peek(), Some(b'<' | b'>')) && self.is_number(start) {
                        self.redirection()?;
                        continue;
                    }
                    if is_subshell || (places.is_empty() && self.is_reserved(start)) {
                        return Err(GivesUp);
                    }
                    places.push(start..self.at);
                }
            }
        }
        if self.at == before {
            return Err(GivesUp);
        }
        if !places.is_empty() {
            self.found.push(places);
        }
        Ok(())
    }

    fn redirection(&mut self) -> Result<(), GivesUp> {
        if self.starts("<<<") {
            self.at += 3;
        } else if self.starts("<<") || self.starts("<(") || self.starts(">(") {
            return Err(GivesUp);
        } else {
            let signs = ["&>>", "&>", ">>", ">&", ">|", "<&", "<>", "<", ">"];
            if !signs.iter().any(|sign| self.take(sign)) {
                return Err(GivesUp);
            }
        }
        self.skip_blanks();
        let start = self.at;
        self.word()?;
        match self.at == start {
            true => Err(GivesUp),
            false => Ok(()),
        }
    }

    /// Moves behind a word.
    fn word(&mut self) -> Result<(), GivesUp> {
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' | b'\n' | b';' | b'|' | b'&' | b'<' | b'>' | b'(' | b')' => break,
                b'\'' => self.raw()?,
                b'"' => self.quoted()?,
                b'\\' => self.escaped()?,
                b'$' => self.dollar()?,
                b'`' => return Err(GivesUp),
                0..=0x1f | 0x7f => return Err(GivesUp),
                _ => self.at += 1,
            }
        }
        Ok(())
    }

    fn raw(&mut self) -> Result<(), GivesUp> {
        let from = self.at + 1;
        let mut rest = self.text[from..].iter();
        let length = rest.position(|byte| *byte == b'\'').ok_or(GivesUp)?;
        self.at = from + length + 1;
        Ok(())
    }

    fn quoted(&mut self) -> Result<(), GivesUp> {
        self.at += 1;
        loop {
            match self.peek().ok_or(GivesUp)? {
                b'"' => break,
                b'\\' => self.escaped()?,
                b'$' if self.starts("$'") || self.starts("$\"") => self.at += 1,
                b'$' => self.dollar()?,
                b'`' => return Err(GivesUp),
                _ => self.at += 1,
            }
        }
        self.at += 1;
        Ok(())
    }

    fn escaped(&mut self) -> Result<(), GivesUp> {
        match self.text.get(self.at + 1) {
            None | Some(b'\n') => Err(GivesUp),
            Some(_) => {
                self.at += 2;
                Ok(())
            }
        }
    }

    fn dollar(&mut self) -> Result<(), GivesUp> {
        if self.starts("$((") || self.starts("$[") {
            return Err(GivesUp);
        }
        if self.take("$(") {
            return self.list(Until::Parenthesis);
        }
        if self.starts("${") {
            return self.parameter();
        }
        if self.starts("$'") {
            return self.ansi();
        }
        self.at += 1;
        Ok(())
    }

    /// `${...}` as long as nothing but plain letters stands in it.
    fn parameter(&mut self) -> Result<(), GivesUp> {
        let rest = &self.text[self.at + 2..];
        let length = rest.iter().position(|byte| *byte == b'}').ok_or(GivesUp)?;
        let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"_:-./@*#%+=,".contains(byte);
        if !rest[..length].iter().all(is_plain) {
            return Err(GivesUp);
        }
        self.at += 2 + length + 1;
        Ok(())
    }

    fn ansi(&mut self) -> Result<(), GivesUp> {
        self.at += 2;
        loop {
            match self.peek().ok_or(GivesUp)? {
                b'\'' => break,
                b'\\' => self.escaped()?,
                _ => self.at += 1,
            }
        }
        self.at += 1;
        Ok(())
    }

    fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t')) {
            self.at += 1;
        }
        if self.peek() == Some(b'#') {
            while !matches!(self.peek(), None | Some(b'\n')) {
                self.at += 1;
            }
        }
    }

    fn skip_blank_lines(&mut self) {
        self.skip_blanks();
        while self.peek() == Some(b'\n') {
            self.at += 1;
            self.skip_blanks();
        }
    }

    fn is_number(&self, start: usize) -> bool {
        self.text[start..self.at].iter().all(u8::is_ascii_digit)
    }

    fn is_reserved(&self, start: usize) -> bool {
        let word = &self.text[start..self.at];
        RESERVED.iter().any(|it| it.as_bytes() == word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Option<Vec<Vec<&str>>> {
        let found = read(text).ok()?;
        let of = |places: &Places| places.iter().map(|it| &text[it.clone()]).collect();
        Some(found.iter().map(of).collect())
    }

    #[test]
    fn plain_lists_are_taken_apart() {
        assert_eq!(
            words("a b && c|d; (e f) >x 2>&1 &\n# no\ng 'h i' # no").unwrap_or_default(),
            [
                vec!["a", "b"],
                vec!["c"],
                vec!["d"],
                vec!["e", "f"],
                vec!["g", "'h i'"]
            ]
        );
        assert_eq!(
            words("a \"$(b c)\" $X ${Y:-z}").unwrap_or_default(),
            [vec!["a", "\"$(b c)\"", "$X", "${Y:-z}"], vec!["b", "c"]]
        );
    }

    #[test]
    fn what_is_not_plain_is_left_to_a_person() {
        for text in [
            "if a; then b; fi",
            "f() { x; }",
            "a <<E\nE",
            "a `b`",
            "a $((1))",
            "a 'b",
            "a \"b",
            "a )",
            "(a",
            "a;;b",
            "((x))",
            "a <(b)",
            "{ a; }",
            "! a",
            "a & & b",
            "\u{1}",
            "a \\\n b",
        ] {
            assert!(words(text).is_none(), "{text:?}");
        }
    }
}
