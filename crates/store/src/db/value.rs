//! Values that go into a statement. The schema knows whole numbers and text, nothing else.

use codewhale_protocol::Sealed;
use codewhale_protocol::runtime::{Seq, Timestamp};

/// One argument of a statement.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Value<'a> {
    Int(i64),
    Text(&'a str),
    Null,
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Self {
        Value::Text(text)
    }
}

impl<'a> From<&'a Sealed> for Value<'a> {
    fn from(text: &'a Sealed) -> Self {
        Value::Text(text.as_str())
    }
}

impl<'a> From<Option<&'a str>> for Value<'a> {
    fn from(text: Option<&'a str>) -> Self {
        text.map_or(Value::Null, Value::Text)
    }
}

impl From<i64> for Value<'_> {
    fn from(number: i64) -> Self {
        Value::Int(number)
    }
}

impl From<u64> for Value<'_> {
    fn from(number: u64) -> Self {
        Value::Int(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl From<bool> for Value<'_> {
    fn from(flag: bool) -> Self {
        Value::Int(i64::from(flag))
    }
}

impl From<Seq> for Value<'_> {
    fn from(seq: Seq) -> Self {
        seq.0.into()
    }
}

impl From<Timestamp> for Value<'_> {
    fn from(at: Timestamp) -> Self {
        Value::Int(at.as_ms())
    }
}
