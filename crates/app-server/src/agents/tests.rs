//! The door over a service that is a script: one turn, told as its log tells it, in pieces that the
//! test cuts.

mod answers;
mod script;
mod stories;
