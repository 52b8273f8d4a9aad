//! What tests need: a model server that does as it is told.
//!
//! Used from `tests/` and `benches/` directories, not from unit tests of the crates below it. Start
//! reading at [`model_server`].

pub mod model_server;
