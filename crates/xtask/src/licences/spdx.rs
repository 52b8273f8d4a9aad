//! Licence expressions, as far as manifests write them: `OR`, `AND`, `WITH`, parentheses, and the
//! old `MIT/Apache-2.0`.

use anyhow::{Result, bail, ensure};

/// Whether a choice that the expression offers consists of allowed terms only. A term is a licence,
/// with its exception if it has one: `Apache-2.0 WITH LLVM-exception`.
pub(super) fn is_satisfied(expression: &str, allowed: impl Fn(&str) -> bool) -> Result<bool> {
    let words = words(expression);
    let mut reader = Reader {
        expression,
        words: &words,
        allowed,
    };
    let satisfied = reader.any()?;
    ensure!(
        reader.words.is_empty(),
        "could not read the licence `{expression}`"
    );
    Ok(satisfied)
}

fn words(expression: &str) -> Vec<String> {
    expression
        .replace('/', " OR ")
        .replace('(', " ( ")
        .replace(')', " ) ")
        .split_whitespace()
        .map(str::to_owned)
        .collect()
}

struct Reader<'a, Allowed> {
    expression: &'a str,
    /// What is left to read.
    words: &'a [String],
    allowed: Allowed,
}

impl<Allowed: Fn(&str) -> bool> Reader<'_, Allowed> {
    fn any(&mut self) -> Result<bool> {
        let mut satisfied = self.all()?;
        while self.take("OR") {
            satisfied |= self.all()?;
        }
        Ok(satisfied)
    }

    fn all(&mut self) -> Result<bool> {
        let mut satisfied = self.term()?;
        while self.take("AND") {
            satisfied &= self.term()?;
        }
        Ok(satisfied)
    }

    fn term(&mut self) -> Result<bool> {
        if self.take("(") {
            let satisfied = self.any()?;
            ensure!(
                self.take(")"),
                "a parenthesis is open in the licence `{}`",
                self.expression
            );
            return Ok(satisfied);
        }
        let licence = self.name()?;
        if self.take("WITH") {
            let exception = self.name()?;
            return Ok((self.allowed)(&format!("{licence} WITH {exception}")));
        }
        Ok((self.allowed)(&licence))
    }

    fn name(&mut self) -> Result<String> {
        match self.words {
            [name, rest @ ..] if !["OR", "AND", "WITH", "(", ")"].contains(&name.as_str()) => {
                self.words = rest;
                Ok(name.clone())
            }
            _ => bail!("a name is missing in the licence `{}`", self.expression),
        }
    }

    /// Takes the next word if it is this one.
    fn take(&mut self, word: &str) -> bool {
        match self.words {
            [next, rest @ ..] if next == word => {
                self.words = rest;
                true
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn satisfied(expression: &str) -> Result<bool> {
        let allowed = [
            "MIT",
            "ISC",
            "Unicode-3.0",
            "GPL-2.0 WITH Classpath-exception-2.0",
        ];
        is_satisfied(expression, |term| allowed.contains(&term))
    }

    #[test]
    fn expressions_offer_choices() {
        let check = |expression: &str, expected| {
            assert_eq!(satisfied(expression).unwrap(), expected, "{expression}")
        };
        check("MIT", true);
        check("GPL-3.0", false);
        check("GPL-3.0 OR MIT", true);
        check("MIT/GPL-3.0", true);
        check("MIT AND ISC", true);
        check("MIT AND GPL-3.0", false);
        check("GPL-3.0 AND MIT OR ISC", true);
        check("GPL-3.0 AND (MIT OR ISC)", false);
        check("(MIT OR GPL-3.0) AND Unicode-3.0", true);
        check("GPL-2.0 WITH Classpath-exception-2.0", true);
        check("GPL-2.0", false);
        check("MIT WITH Classpath-exception-2.0", false);
        check("Apache-2.0 WITH LLVM-exception OR Apache-2.0 OR MIT", true);
    }

    #[test]
    fn what_is_no_expression_is_an_error() {
        let check = |expression: &str| assert!(satisfied(expression).is_err(), "{expression}");
        check("");
        check("MIT OR");
        check("(MIT");
        check("MIT)");
        check("MIT ISC");
        check("MIT WITH");
        check("OR MIT");
    }
}
