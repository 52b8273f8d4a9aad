//! Patterns for names and paths, as models write them.

use std::path::Path;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use serde::{Deserialize, Deserializer};

use crate::Output;
use crate::limits::GLOBS_MAX;

/// A set of patterns. One without `/` is for names anywhere, one with `/` for paths from the
/// directory that is searched.
pub(crate) struct Globs {
    names: GlobSet,
    paths: GlobSet,
}

impl Globs {
    pub(crate) fn new(member: &str, patterns: &[String]) -> Result<Self, Output> {
        if patterns.len() > GLOBS_MAX {
            return Err(Output::failure(format!(
                "`{member}` has more than {GLOBS_MAX} patterns; give fewer"
            )));
        }
        let (mut names, mut paths) = (GlobSetBuilder::new(), GlobSetBuilder::new());
        for given in patterns {
            let pattern = given.strip_prefix("./").unwrap_or(given);
            let pattern = pattern.strip_suffix('/').unwrap_or(pattern);
            let mut builder = GlobBuilder::new(pattern.trim_start_matches('/'));
            let glob = builder.literal_separator(true).build();
            let glob = glob.map_err(|error| not_a_pattern(member, given, &error))?;
            match pattern.contains('/') {
                true => paths.add(glob),
                false => names.add(glob),
            };
        }
        let build = |set: GlobSetBuilder| {
            let built = set.build();
            built.map_err(|error| not_a_pattern(member, &patterns.join(", "), &error))
        };
        Ok(Self {
            names: build(names)?,
            paths: build(paths)?,
        })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.names.is_empty() && self.paths.is_empty()
    }

    /// Whether a path, relative to the directory that is searched, fits one of them.
    pub(crate) fn fit(&self, path: &Path) -> bool {
        let name = path.file_name().unwrap_or_default();
        self.names.is_match(name) || self.paths.is_match(path)
    }
}

fn not_a_pattern(member: &str, given: &str, error: &globset::Error) -> Output {
    Output::failure(format!(
        "`{member}`: {given:?} is not a pattern for names ({}); write it like `*.rs` or \
         `src/**/*.rs`",
        error.kind()
    ))
}

/// A list of texts, or a single text for a list of one.
pub(crate) fn one_or_many<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "a text or a list of texts")]
    enum Given {
        None(()),
        One(String),
        Many(Vec<String>),
    }
    Ok(match Given::deserialize(deserializer)? {
        Given::None(()) => Vec::new(),
        Given::One(text) => vec![text],
        Given::Many(texts) => texts,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(pattern: &str, path: &str) -> bool {
        let globs = Globs::new("include", &[pattern.to_owned()]).expect("a pattern");
        globs.fit(Path::new(path))
    }

    #[test]
    fn a_pattern_without_a_slash_is_for_names_anywhere() {
        assert!(fit("*.rs", "a.rs") && fit("*.rs", "src/deep/a.rs"));
        assert!(fit("target", "x/target") && fit("target/", "target"));
        assert!(!fit("*.rs", "a.rs.bak") && !fit("target", "targets"));
    }

    #[test]
    fn a_pattern_with_a_slash_is_for_paths() {
        assert!(fit("src/*.rs", "src/a.rs") && fit("./src/**", "src/deep/a.rs"));
        assert!(fit("/src/*.rs", "src/a.rs") && fit("**/tests/*.rs", "a/b/tests/c.rs"));
        assert!(!fit("src/*.rs", "src/deep/a.rs") && !fit("src/*.rs", "x/src/a.rs"));
    }

    #[test]
    fn what_is_no_pattern_is_named() {
        let failure = Globs::new("include", &["a[".into()])
            .err()
            .expect("no pattern");
        assert!(
            failure.text.contains("`include`: \"a[\" is not a pattern"),
            "{}",
            failure.text
        );
        assert!(Globs::new("include", &vec!["a".into(); GLOBS_MAX + 1]).is_err());
    }
}
