//! Who comes in, through which door, and what they find there.

mod browsers;
mod streams;
mod tokens;
mod web;
