//! What tests need: a model that does as it is told, the real program to speak to it, and a world
//! that a seed decides.
//!
//! Used from `tests/` and `benches/` directories, not from unit tests of the crates below it: those
//! would meet two copies of their own crate's types.
//!
//! Must not know: `cli`. It is told where the program lies, and sees of it what anyone sees. Start
//! reading at [`model_server`] for scripted models, at [`real_model`] for one that is not, at
//! [`guarded_server`] for logins, at [`app`]
//! for the program over HTTP, at [`sim`] for simulations.

pub mod app;
pub mod guarded_server;
pub mod long;
pub mod model_server;
pub mod real_model;
pub mod sim;
