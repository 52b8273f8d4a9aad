//! Scenarios through the door: the real program, real HTTP, a scripted model.
#![expect(clippy::unwrap_used, reason = "a test that fails may panic")]
#![expect(
    clippy::print_stdout,
    reason = "a test that fails shows the seed it ran with"
)]

mod agents;
mod auth;
mod bad_input;
mod commands;
mod config;
mod contract;
mod crowd;
mod dice;
mod docs;
mod doctor;
mod doors;
mod editors;
mod exec;
mod fleet;
mod fuzz;
mod golden;
mod held;
mod lists;
mod live;
mod mcp_server;
mod memory;
mod model;
mod models;
mod offline;
mod old_sessions;
mod one_shot;
mod orders;
mod outline;
mod pictures;
mod processes;
mod providers;
mod real_model;
mod restart;
mod resume;
mod scene;
mod secrets;
mod sessions;
mod stdio;
mod store_faults;
mod typed_client;
mod usage;
mod walk;
