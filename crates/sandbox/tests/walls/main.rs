//! The walls, tried from inside: what does not get out, what hangs nothing, and what still works.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![cfg(target_os = "linux")]

mod escapes;
mod hangs;
mod lab;
mod network;
mod users;
mod work;
