//! Who comes in, through which door, and what they find there.

mod browsers;
mod description;
mod programs;
mod streams;
mod tokens;
mod web;
