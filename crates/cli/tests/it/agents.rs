//! Other agents, over the Agent Communication Protocol: driven by its official client, and asked
//! wrongly by hand.

mod client;
mod document;
mod requests;
mod restarts;
