//! Members as they stand on the wire, whatever the dialect: texts without a copy, counts of any kind.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Visitor};

/// A text that is borrowed when it has no escapes. (A bare `Cow` inside an `Option` would always
/// be copied.)
#[derive(Deserialize, Debug)]
#[serde(transparent)]
pub(crate) struct Text<'a>(#[serde(borrow)] pub(crate) Cow<'a, str>);

/// The text, or nothing if it is absent, null or empty.
pub(crate) fn text(text: Option<Text<'_>>) -> Option<String> {
    text.map(|text| text.0)
        .filter(|text| !text.is_empty())
        .map(Cow::into_owned)
}

/// A number of tokens. Servers write it as they like; a strange one must not spoil an answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Count(pub(crate) u64);

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct CountVisitor;

        impl Visitor<'_> for CountVisitor {
            type Value = Count;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number of tokens")
            }

            fn visit_u64<E>(self, value: u64) -> Result<Count, E> {
                Ok(Count(value.min(u32::MAX.into())))
            }

            fn visit_i64<E>(self, _negative: i64) -> Result<Count, E> {
                Ok(Count(0))
            }

            fn visit_f64<E>(self, value: f64) -> Result<Count, E> {
                // Such a cast saturates, and takes what is no number as zero.
                Ok(Count((value as u64).min(u32::MAX.into())))
            }
        }

        deserializer.deserialize_any(CountVisitor)
    }
}
