//! The database under the store: connections, values, rows, and what can go wrong with them.
//!
//! All SQL of the crate goes through [`Connection`], with `?1` placeholders and two kinds of
//! values, so that a second engine can stand behind the same few methods.

mod error;
mod sqlite;
mod value;

pub(crate) use error::Error;
pub(crate) use sqlite::{Connection, Location, Row};
pub(crate) use value::Value;
