//! Bounds: what work may not exceed. They only ever narrow: nothing in them grants anything, and
//! those of a turn count together with those of its thread.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a turn may not exceed. A member this version does not know is refused: a bound that nobody
/// keeps would be none.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Bounds {
    /// The only tools there are, by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed_tools: Option<Vec<String>>,
    /// Tools there are not, whatever else is said.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub disallowed_tools: Vec<String>,
    /// The only places where files change: absolute, or below the workspace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub writable_paths: Option<Vec<String>>,
    /// Calls of the model in one turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_steps: Option<u32>,
    /// Tokens that a turn and the agents below it may use, sent and received.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// Calls of tools that a turn and the agents below it may make.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tool_calls: Option<u64>,
    /// Seconds that a turn may take.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_seconds: Option<u64>,
}

impl Bounds {
    /// Whether they bound nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// What both these and others leave.
    #[must_use]
    pub fn within(&self, other: &Self) -> Self {
        let disallowed = self.disallowed_tools.iter().chain(&other.disallowed_tools);
        Self {
            allowed_tools: common(&self.allowed_tools, &other.allowed_tools, |a, b| {
                a.eq_ignore_ascii_case(b).then(|| a.to_owned())
            }),
            disallowed_tools: disallowed.cloned().collect(),
            writable_paths: common(&self.writable_paths, &other.writable_paths, narrower),
            max_steps: least(self.max_steps, other.max_steps),
            max_tokens: least(self.max_tokens, other.max_tokens),
            max_tool_calls: least(self.max_tool_calls, other.max_tool_calls),
            max_seconds: least(self.max_seconds, other.max_seconds),
        }
    }

    /// Whether there is a tool that goes by these names.
    pub fn admits<'a>(&self, names: impl IntoIterator<Item = &'a str> + Clone) -> bool {
        let among = |list: &[String]| {
            let mut names = names.clone().into_iter();
            names.any(|name| list.iter().any(|it| it.trim().eq_ignore_ascii_case(name)))
        };
        !among(&self.disallowed_tools) && self.allowed_tools.as_deref().is_none_or(among)
    }
}

fn least<T: Ord>(a: Option<T>, b: Option<T>) -> Option<T> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

/// What is in both lists, where both there are.
fn common(
    a: &Option<Vec<String>>,
    b: &Option<Vec<String>>,
    both: impl Fn(&str, &str) -> Option<String>,
) -> Option<Vec<String>> {
    let (Some(a), Some(b)) = (a, b) else {
        return a.clone().or_else(|| b.clone());
    };
    let pairs = a.iter().flat_map(|a| b.iter().map(move |b| (a, b)));
    Some(pairs.filter_map(|(a, b)| both(a, b)).collect())
}

/// The place that lies in the other one.
fn narrower(a: &str, b: &str) -> Option<String> {
    use std::path::Path;
    if Path::new(a).starts_with(b) {
        return Some(a.to_owned());
    }
    Path::new(b).starts_with(a).then(|| b.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn two_bounds_leave_what_each_leaves() {
        let a = Bounds {
            allowed_tools: Some(list(&["read_file", "bash"])),
            disallowed_tools: list(&["agent"]),
            writable_paths: Some(list(&["/w/src", "/w/docs"])),
            max_tokens: Some(10),
            ..Bounds::default()
        };
        let b = Bounds {
            allowed_tools: Some(list(&["Bash", "write_file"])),
            disallowed_tools: list(&["remember"]),
            writable_paths: Some(list(&["/w/src/a", "/w", "/x"])),
            max_tokens: Some(20),
            max_steps: Some(3),
            ..Bounds::default()
        };
        let both = a.within(&b);
        assert_eq!(both.allowed_tools, Some(list(&["bash"])));
        assert_eq!(both.disallowed_tools, list(&["agent", "remember"]));
        let places = list(&["/w/src/a", "/w/src", "/w/docs"]);
        assert_eq!(both.writable_paths, Some(places));
        assert_eq!((both.max_tokens, both.max_steps), (Some(10), Some(3)));
        assert_eq!(a.within(&Bounds::default()), a);
    }

    #[test]
    fn a_tool_is_admitted_by_any_of_its_names_and_shut_out_by_any() {
        let bounds = |allowed: Option<&[&str]>, disallowed: &[&str]| Bounds {
            allowed_tools: allowed.map(list),
            disallowed_tools: list(disallowed),
            ..Bounds::default()
        };
        let shell = ["exec_shell", "bash"];
        assert!(bounds(None, &[]).admits(shell));
        assert!(bounds(Some(&["Bash"]), &[]).admits(shell));
        assert!(!bounds(Some(&[]), &[]).admits(shell));
        assert!(!bounds(Some(&["bash"]), &["exec_shell"]).admits(shell));
    }

    #[test]
    fn a_misspelt_bound_is_refused() {
        let read = serde_json::from_str::<Bounds>(r#"{"max_token":1}"#);
        assert!(read.unwrap_err().to_string().contains("max_token"));
    }
}
