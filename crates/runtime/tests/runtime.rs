//! What the runtime does, seen through its service: turns, approvals, settings, rights, restarts.
//! The model and the tools are scripted; time is virtual.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on may stop")]

#[path = "runtime/fleet_kit.rs"]
mod fleet_kit;
#[path = "runtime/model.rs"]
mod model;
#[path = "runtime/tools.rs"]
mod tools;
#[path = "runtime/world.rs"]
mod world;

#[path = "runtime/agents.rs"]
mod agents;
#[path = "runtime/approvals.rs"]
mod approvals;
#[path = "runtime/attachments.rs"]
mod attachments;
#[path = "runtime/calls.rs"]
mod calls;
#[path = "runtime/client_tools.rs"]
mod client_tools;
#[path = "runtime/errands.rs"]
mod errands;
#[path = "runtime/fleet.rs"]
mod fleet;
#[path = "runtime/fleet_control.rs"]
mod fleet_control;
#[path = "runtime/fleet_program.rs"]
mod fleet_program;
#[path = "runtime/full_disk.rs"]
mod full_disk;
#[path = "runtime/gate.rs"]
mod gate;
#[path = "runtime/goals.rs"]
mod goals;
#[path = "runtime/input.rs"]
mod input;
#[path = "runtime/live.rs"]
mod live;
#[path = "runtime/mending.rs"]
mod mending;
#[path = "runtime/names.rs"]
mod names;
#[path = "runtime/old_sessions.rs"]
mod old_sessions;
#[path = "runtime/once.rs"]
mod once;
#[path = "runtime/preferences.rs"]
mod preferences;
#[path = "runtime/processes.rs"]
mod processes;
#[path = "runtime/prompt.rs"]
mod prompt;
#[path = "runtime/routes.rs"]
mod routes;
#[path = "runtime/schedule.rs"]
mod schedule;
#[path = "runtime/settings.rs"]
mod settings;
#[path = "runtime/stopping.rs"]
mod stopping;
#[path = "runtime/tasks.rs"]
mod tasks;
#[path = "runtime/tool_calls.rs"]
mod tool_calls;
#[path = "runtime/undo.rs"]
mod undo;
#[path = "runtime/usage.rs"]
mod usage;
#[path = "runtime/walk.rs"]
mod walk;
#[path = "runtime/workspace.rs"]
mod workspace;
