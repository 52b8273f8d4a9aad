//! Headers that go with every request to a provider. Their values count as secrets: gateways take
//! them for keys.

use codewhale_protocol::Secret;

use crate::file::Value;
use crate::shape::{Mismatch, Shape};

/// What the connection and the dialect set themselves. A key has a place of its own, where it is
/// known to be one; set here, it would silently beat that.
const RESERVED: &[&str] = &[
    "authorization",
    "proxy-authorization",
    "x-api-key",
    "host",
    "connection",
    "content-length",
    "content-type",
    "transfer-encoding",
    "anthropic-version",
];

/// Names and values, in the order of the file.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Headers(pub Vec<(String, Secret)>);

impl Shape for Headers {
    const EXPECTED: &'static str = "a table of names and texts, such as { X-Team = \"a\" }, without Authorization, X-Api-Key \
         and other headers of the connection; a key belongs into api_key";
    const IS_SECRET: bool = true;

    fn from_value(value: &Value) -> Result<Option<Self>, Mismatch> {
        let Value::Table(table) = value else {
            return Err(Mismatch);
        };
        let header = |name: &str, value: &Value| match value {
            Value::Text(text) if is_name(name) && is_value(text) => {
                Ok((name.to_owned(), Secret::new(text.trim())))
            }
            _ => Err(Mismatch),
        };
        let headers: Result<Vec<_>, _> = table
            .iter()
            .map(|(name, node)| header(name, &node.value))
            .collect();
        Ok(Some(Self(headers?)))
    }

    fn from_text(_: &str) -> Result<Option<Self>, Mismatch> {
        Err(Mismatch)
    }

    fn show(&self) -> Option<Value> {
        None
    }

    fn into_secrets(self) -> Vec<Secret> {
        self.0.into_iter().map(|(_, value)| value).collect()
    }
}

fn is_name(name: &str) -> bool {
    let is_token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    let is_reserved = RESERVED.iter().any(|it| it.eq_ignore_ascii_case(name));
    !name.is_empty() && name.chars().all(is_token) && !is_reserved
}

fn is_value(text: &str) -> bool {
    !text.trim().is_empty() && text.chars().all(|c| c.is_ascii() && !c.is_ascii_control())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_headers_and_none_that_are_set_elsewhere() {
        for good in ["X-Team", "cf-aig-authorization", "x_1"] {
            assert!(is_name(good), "{good}");
        }
        for bad in ["", "a b", "a:", "Authorization", "X-API-KEY", "host", "ä"] {
            assert!(!is_name(bad), "{bad}");
        }
    }

    #[test]
    fn values_are_one_line_of_plain_text() {
        assert!(is_value("a b, c=1"));
        for bad in ["", "  ", "a\nb", "a\r", "ä"] {
            assert!(!is_value(bad), "{bad:?}");
        }
    }
}
