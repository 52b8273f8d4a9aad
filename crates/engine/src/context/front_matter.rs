//! What a skill says about itself in its first lines.
//!
//! A strict reader of the few keys that count, not of YAML: `key: value` with plain, quoted, folded
//! (`>`) and literal (`|`) text. Other keys are passed over together with what is indented below
//! them. What it cannot read is an error, never a guess.

use super::limits::FRONT_MATTER_LINES_MAX;

/// What a skill says about itself. Names and descriptions are as they were written.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct FrontMatter {
    pub(super) name: String,
    pub(super) description: String,
    /// Only a person calls for it; a model is not told about it.
    pub(super) is_explicit: bool,
    /// Other names it answers to.
    pub(super) aliases: Vec<String>,
}

/// Splits a `SKILL.md` into what it says about itself and the rest. Without front matter the first
/// heading is the name, and the first line behind it describes it.
pub(super) fn split(text: &str) -> Result<(FrontMatter, &str), String> {
    let Some(rest) = text.strip_prefix("---\n") else {
        return from_heading(text);
    };
    let mut end = 0;
    for line in rest.split_inclusive('\n').take(FRONT_MATTER_LINES_MAX) {
        if matches!(line.trim_end(), "---" | "...") {
            let front = Lines::of(&rest[..end]).read()?;
            return Ok((front, rest[end + line.len()..].trim_start_matches('\n')));
        }
        end += line.len();
    }
    Err("its front matter does not end; close it with a line `---`".to_owned())
}

fn from_heading(text: &str) -> Result<(FrontMatter, &str), String> {
    let mut lines = text.lines().map(str::trim);
    let Some(name) = lines.find_map(|line| line.strip_prefix("# ")) else {
        return Err("it has neither front matter with a `name` nor a `# Heading`".to_owned());
    };
    let is_text = |line: &&str| !line.is_empty() && !line.starts_with('#');
    let front = FrontMatter {
        name: name.trim().to_owned(),
        description: lines.find(is_text).unwrap_or_default().to_owned(),
        ..FrontMatter::default()
    };
    Ok((front, text))
}

/// The lines of the front matter, and how far it was read.
struct Lines<'a> {
    lines: Vec<&'a str>,
    next: usize,
}

impl<'a> Lines<'a> {
    fn of(text: &'a str) -> Self {
        Self {
            lines: text.lines().collect(),
            next: 0,
        }
    }

    fn read(mut self) -> Result<FrontMatter, String> {
        let (mut name, mut description, mut invocation, mut aliases) = (None, None, None, None);
        while let Some(line) = self.lines.get(self.next) {
            self.next += 1;
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            let (key, value) = key_and_value(line)
                .ok_or_else(|| format!("line {} is not `key: value`", self.next + 1))?;
            let slot = match key {
                "name" => &mut name,
                "description" => &mut description,
                "invocation" => &mut invocation,
                "aliases-for" => &mut aliases,
                _ => {
                    self.below();
                    continue;
                }
            };
            if slot.is_some() {
                return Err(format!("`{key}` stands there twice"));
            }
            let text = self.text(value).map_err(|why| format!("`{key}` {why}"))?;
            *slot = Some(text);
        }
        Ok(FrontMatter {
            name: name
                .filter(|name| !name.trim().is_empty())
                .ok_or("it has no `name`")?,
            description: description.unwrap_or_default(),
            is_explicit: match invocation.as_deref().map(str::trim) {
                None | Some("model+user") => false,
                Some("explicit-only") => true,
                Some(_) => {
                    return Err("`invocation` is neither model+user nor explicit-only".into());
                }
            },
            aliases: names(&aliases.unwrap_or_default()),
        })
    }

    /// The lines that are indented below the one before, and empty ones between them.
    fn below(&mut self) -> &[&'a str] {
        let start = self.next;
        let is_below = |line: &&&str| line.trim().is_empty() || line.starts_with([' ', '\t', '-']);
        self.next += self.lines[start..].iter().take_while(is_below).count();
        &self.lines[start..self.next]
    }

    fn text(&mut self, value: &str) -> Result<String, &'static str> {
        let below = self.below();
        let trimmed = below.iter().map(|line| line.trim());
        let style = value.split_whitespace().next().unwrap_or_default();
        match value.chars().next() {
            Some('|') if is_block(style) => Ok(trimmed.collect::<Vec<_>>().join("\n")),
            Some('>') if is_block(style) => Ok(trimmed.collect::<Vec<_>>().join(" ")),
            Some('"' | '\'') => {
                let all: Vec<&str> = [value].into_iter().chain(trimmed).collect();
                unquoted(all.join(" ").trim_end())
            }
            Some('{' | '&' | '*' | '!' | '%' | '@' | '`' | '|' | '>') => {
                Err("is no plain text; put it into quotes")
            }
            Some(_) | None => {
                let all = [value].into_iter().chain(trimmed).map(without_comment);
                Ok(all.collect::<Vec<_>>().join(" ").trim().to_owned())
            }
        }
    }
}

fn key_and_value(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(':')?;
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let is_key = !key.is_empty() && key.chars().all(plain);
    let is_apart = value.is_empty() || value.starts_with([' ', '\t']);
    (is_key && is_apart).then(|| (key, value.trim()))
}

/// `|` or `>` with marks for the end of the text and for its indentation, which do not matter here.
fn is_block(style: &str) -> bool {
    style[1..].chars().all(|c| "+-123456789".contains(c))
}

fn without_comment(text: &str) -> &str {
    let is_comment = text.starts_with('#');
    let end = if is_comment {
        0
    } else {
        text.find(" #").unwrap_or(text.len())
    };
    text[..end].trim_end()
}

fn unquoted(text: &str) -> Result<String, &'static str> {
    let mut chars = text.chars().peekable();
    let quote = chars.next();
    let mut plain = String::new();
    while let Some(c) = chars.next() {
        match c {
            '\\' if quote == Some('"') => plain.push(match chars.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                Some(c @ ('"' | '\\' | '/' | ' ')) => c,
                Some(_) | None => return Err("has an escape that is not known; write it plainly"),
            }),
            '\'' if quote == Some('\'') && chars.peek() == Some(&'\'') => {
                plain.extend(chars.next());
            }
            c if Some(c) == quote => {
                let rest: String = chars.collect();
                return match without_comment(rest.trim_start()).is_empty() {
                    true => Ok(plain),
                    false => Err("goes on behind its quotes"),
                };
            }
            c => plain.push(c),
        }
    }
    Err("has a quote that is not closed")
}

/// `a, b`, `[a, b]`, or a list of lines with dashes.
fn names(text: &str) -> Vec<String> {
    let inner = text.trim().trim_start_matches('[').trim_end_matches(']');
    let spread = format!(" {inner}").replace(" - ", ",");
    let names = spread
        .split(',')
        .map(|name| name.trim().trim_matches(['"', '\'']));
    let names = names.filter(|name| !name.is_empty());
    names.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(value: &str) -> Result<String, String> {
        let text = format!("---\nname: a\ndescription: {value}\n---\nbody\n");
        split(&text).map(|(front, _)| front.description)
    }

    #[test]
    fn front_matter_and_body_come_apart() {
        let text = "---\n# about it\nname: deploy\ndescription: Ships: it. # for now\nlicense: MIT\n\
            metadata:\n  author: me\n  tags:\n  - a\ninvocation: explicit-only\n\
            aliases-for: ship, \"release\"\n---\n\n# Deploy\n---\nPush.\n";
        let front = FrontMatter {
            name: "deploy".into(),
            description: "Ships: it.".into(),
            is_explicit: true,
            aliases: vec!["ship".into(), "release".into()],
        };
        assert_eq!(split(text), Ok((front, "# Deploy\n---\nPush.\n")));
    }

    #[test]
    fn a_value_may_be_plain_quoted_or_a_block() {
        for (value, text) in [
            ("plain text", "plain text"),
            ("plain\n  and on", "plain and on"),
            ("C# and F#", "C# and F#"),
            (r#""a \"b\" \\ c" # why"#, r#"a "b" \ c"#),
            ("\"one\n  two\"", "one two"),
            ("'it''s'", "it's"),
            (">-\n  folded\n  text", "folded text"),
            ("|\n  two\n  lines", "two\nlines"),
            ("", ""),
        ] {
            assert_eq!(described(value).as_deref(), Ok(text), "{value}");
        }
    }

    #[test]
    fn what_is_broken_says_where() {
        for (text, why) in [
            ("", "neither front matter"),
            ("no heading", "neither front matter"),
            ("---\nname: a\n", "does not end"),
            (
                "---\nname: a\nnonsense\n---\n",
                "line 3 is not `key: value`",
            ),
            ("---\ndescription: a\n---\n", "has no `name`"),
            ("---\nname: ''\n---\n", "has no `name`"),
            ("---\nname: a\nname: b\n---\n", "`name` stands there twice"),
            (
                "---\nname: \"a\n---\n",
                "`name` has a quote that is not closed",
            ),
            ("---\nname: 'a' b\n---\n", "goes on behind its quotes"),
            ("---\nname: \"\\x41\"\n---\n", "an escape that is not known"),
            ("---\nname: {a: b}\n---\n", "`name` is no plain text"),
            (
                "---\nname: a\ninvocation: never\n---\n",
                "`invocation` is neither",
            ),
        ] {
            let problem = split(text).unwrap_err();
            assert!(problem.contains(why), "{text:?}: {problem}");
        }
    }

    #[test]
    fn without_front_matter_the_heading_is_the_name() {
        let text = "\n# Deploy it\n\n## When\nTo ship.\n";
        let (front, body) = split(text).unwrap();
        assert_eq!(
            (front.name.as_str(), front.description.as_str()),
            ("Deploy it", "To ship.")
        );
        assert_eq!(body, text);
    }

    #[test]
    fn other_names_may_be_a_list() {
        for list in ["a, b", "[a, 'b']", "\n  - a\n  - b"] {
            let text = format!("---\nname: x\naliases-for: {list}\n---\n");
            assert_eq!(split(&text).unwrap().0.aliases, ["a", "b"], "{list}");
        }
    }

    /// A file may hold anything.
    #[test]
    fn no_text_makes_it_panic() {
        let pieces = [
            "---\n", "name:", " ", "\"", "'", "\\", "|", ">", "é", "#", "\n", "- ", "[",
        ];
        let mut seed = 7_usize;
        for _ in 0..20_000 {
            let mut text = String::from("---\n");
            for _ in 0..12 {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                text.push_str(pieces[(seed >> 33) % pieces.len()]);
            }
            let _ = split(&text);
        }
    }
}
