//! Who comes in, through which door, and what they find there.

mod browsers;
mod description;
mod streams;
mod tokens;
mod web;
