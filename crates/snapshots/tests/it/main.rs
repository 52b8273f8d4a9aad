//! Snapshots of real directories, with the real git.
#![expect(clippy::unwrap_used, reason = "a failing test says where")]

mod bounds;
mod keeping;
mod lab;
mod moving;
