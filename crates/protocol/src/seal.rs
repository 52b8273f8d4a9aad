//! Sealing: the only way from text to something the store takes.
//!
//! A [`Sealed`] text has passed the [`Redactor`], which masks the secrets this process knows (keys,
//! tokens) and texts that have the shape of one. Nothing else can make a `Sealed`, and the store
//! takes nothing else, so no payload, title, error or tool output reaches the log unmasked.

mod redactor;
mod scan;
mod shape;
mod stream;

use std::fmt;

use serde::Serialize;

use crate::runtime::Event;

pub use redactor::Redactor;
pub use stream::StreamRedactor;

/// Text without secrets.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sealed(String);

impl Sealed {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Redactor {
    /// Masks a plain text.
    pub fn seal(&self, text: &str) -> Sealed {
        Sealed(self.mask(text).into_owned())
    }

    /// The payload of an event as JSON, masked.
    pub fn seal_payload(&self, event: &Event) -> Sealed {
        Sealed(self.mask_json(event.payload()))
    }

    /// Writes a value as JSON and masks it.
    pub fn seal_json<T: Serialize>(&self, value: &T) -> Sealed {
        let json = serde_json::to_string(value).expect("records are plain data with text keys");
        Sealed(self.mask_json(json))
    }
}

/// A value that must not be shown: not in logs, not in errors, not by `{:?}`.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Takes a value into custody.
    pub fn new(value: impl Into<String>) -> Self {
        Self(value.into())
    }

    /// The value itself, for the one place that has to send or compare it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[secret]")
    }
}
