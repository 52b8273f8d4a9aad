//! Puts calls together from the pieces they arrive in.

use crate::ToolCall;
use crate::limits;

/// The calls of one answer, as far as they have come.
#[derive(Default, Debug)]
pub(crate) struct Calls {
    parts: Vec<Part>,
    arguments_bytes: usize,
}

#[derive(Default, Debug)]
struct Part {
    index: u64,
    id: String,
    name: String,
    arguments: String,
}

/// Calls that cannot be served.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Problem {
    TooMany,
    TooLong,
    Nameless,
}

impl Problem {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::TooMany => "more tool calls than can be served",
            Self::TooLong => "tool calls whose arguments are too long",
            Self::Nameless => "a tool call without a name",
        }
    }
}

impl Calls {
    pub(crate) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Takes one piece to the call it belongs to.
    pub(crate) fn take(
        &mut self,
        index: Option<u64>,
        id: Option<String>,
        name: Option<String>,
        arguments: &str,
    ) -> Result<(), Problem> {
        let place = match self.place_of(index, id.as_deref(), name.as_deref()) {
            Some(place) => place,
            None => self.open(index)?,
        };
        self.arguments_bytes += arguments.len();
        if self.arguments_bytes > limits::ARGUMENTS_BYTES_MAX {
            return Err(Problem::TooLong);
        }
        let part = &mut self.parts[place];
        part.arguments.push_str(arguments);
        // Some servers repeat id and name in every piece.
        if part.id.is_empty() {
            part.id = id.unwrap_or_default();
        }
        if part.name.is_empty() {
            part.name = name.unwrap_or_default();
        }
        Ok(())
    }

    /// The whole calls in the order of their indexes. One without an id gets `call_<n>`, counted
    /// from `first`, so that the same conversation always gives the same ids.
    pub(crate) fn finish(&mut self, first: usize) -> Result<Vec<ToolCall>, Problem> {
        let mut parts = std::mem::take(&mut self.parts);
        parts.sort_by_key(|part| part.index);
        if parts.iter().any(|part| part.name.is_empty()) {
            return Err(Problem::Nameless);
        }
        let whole = |(position, part): (usize, Part)| ToolCall {
            id: if part.id.is_empty() {
                format!("call_{}", first + position)
            } else {
                part.id
            },
            name: part.name,
            arguments: if part.arguments.is_empty() {
                "{}".to_owned()
            } else {
                part.arguments
            },
        };
        Ok(parts.into_iter().enumerate().map(whole).collect())
    }

    /// The open call a piece continues, or nothing if it begins one.
    ///
    /// The index should decide, but some servers leave it out, and some give every call index 0:
    /// then a new id, or a new name where arguments have begun, begins a call.
    fn place_of(&self, index: Option<u64>, id: Option<&str>, name: Option<&str>) -> Option<usize> {
        let place = match index {
            Some(index) => self.parts.iter().rposition(|part| part.index == index)?,
            None => self.parts.len().checked_sub(1)?,
        };
        let part = &self.parts[place];
        let is_other = match (id, name) {
            (Some(id), _) => !part.id.is_empty() && part.id != id,
            (None, Some(_)) => index.is_none() && !part.name.is_empty(),
            (None, None) => false,
        };
        if !is_other {
            return Some(place);
        }
        self.parts
            .iter()
            .position(|part| id.is_some_and(|id| part.id == id))
    }

    fn open(&mut self, index: Option<u64>) -> Result<usize, Problem> {
        if self.parts.len() >= limits::CALLS_MAX {
            return Err(Problem::TooMany);
        }
        let place = self.parts.len();
        let after_all = self
            .parts
            .iter()
            .map(|part| part.index.saturating_add(1))
            .max()
            .unwrap_or(0);
        self.parts.push(Part {
            index: index.unwrap_or(after_all),
            ..Part::default()
        });
        Ok(place)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn call(id: &str, name: &str, arguments: &str) -> ToolCall {
        ToolCall {
            id: id.into(),
            name: name.into(),
            arguments: arguments.into(),
        }
    }

    fn read(pieces: &[&str]) -> Result<Vec<ToolCall>, Problem> {
        let mut calls = Calls::default();
        for piece in pieces {
            let piece: Value = serde_json::from_str(piece).unwrap();
            let text = |value: &Value| value.as_str().map(str::to_owned);
            let own = |value: &Value| text(value).filter(|text| !text.is_empty());
            let function = &piece["function"];
            let arguments = text(&function["arguments"]).unwrap_or_default();
            let (id, name) = (own(&piece["id"]), own(&function["name"]));
            calls.take(piece["index"].as_u64(), id, name, &arguments)?;
        }
        calls.finish(7)
    }

    #[test]
    fn pieces_find_their_call() {
        let split = [
            r#"{"index":0,"id":"a","type":"function","function":{"name":"read","arguments":""}}"#,
            r#"{"index":0,"function":{"arguments":"{\"pa"}}"#,
            r#"{"index":0,"id":null,"function":{"name":null,"arguments":"th\":1}"}}"#,
        ];
        let interleaved = [
            r#"{"index":1,"id":"b","function":{"name":"write","arguments":"{"}}"#,
            r#"{"index":0,"id":"a","function":{"name":"read","arguments":"{"}}"#,
            r#"{"index":1,"function":{"arguments":"}"}}"#,
            r#"{"index":0,"function":{"arguments":" }"}}"#,
        ];
        let without_index = [
            r#"{"id":"a","function":{"name":"read","arguments":"{"}}"#,
            r#"{"function":{"arguments":"}"}}"#,
            r#"{"id":"b","function":{"name":"write","arguments":"{}"}}"#,
        ];
        let without_ids = [
            r#"{"function":{"name":"read","arguments":"{}"}}"#,
            r#"{"id":"","function":{"name":"write","arguments":"{}"}}"#,
        ];
        let all_index_zero = [
            r#"{"index":0,"id":"a","function":{"name":"read","arguments":"{}"}}"#,
            r#"{"index":0,"id":"b","function":{"name":"write","arguments":"{"}}"#,
            r#"{"index":0,"function":{"arguments":"}"}}"#,
        ];
        let repeated = [
            r#"{"index":0,"id":"a","function":{"name":"read","arguments":"{"}}"#,
            r#"{"index":0,"id":"a","function":{"name":"read","arguments":"}"}}"#,
        ];
        let cases: [(&[&str], Vec<ToolCall>); 7] = [
            (&split, vec![call("a", "read", "{\"path\":1}")]),
            (
                &interleaved,
                vec![call("a", "read", "{ }"), call("b", "write", "{}")],
            ),
            (
                &without_index,
                vec![call("a", "read", "{}"), call("b", "write", "{}")],
            ),
            (
                &without_ids,
                vec![call("call_7", "read", "{}"), call("call_8", "write", "{}")],
            ),
            (
                &all_index_zero,
                vec![call("a", "read", "{}"), call("b", "write", "{}")],
            ),
            (&repeated, vec![call("a", "read", "{}")]),
            (
                &[r#"{"index":3,"id":"a","function":{"name":"now"}}"#],
                vec![call("a", "now", "{}")],
            ),
        ];
        for (pieces, expect) in cases {
            assert_eq!(read(pieces), Ok(expect), "{pieces:?}");
        }
    }

    #[test]
    fn calls_that_cannot_be_served_are_refused() {
        assert_eq!(read(&[r#"{"index":0,"id":"a"}"#]), Err(Problem::Nameless));
        let many: Vec<String> = (0..=limits::CALLS_MAX)
            .map(|index| format!(r#"{{"index":{index}}}"#))
            .collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(read(&many), Err(Problem::TooMany));
    }
}
