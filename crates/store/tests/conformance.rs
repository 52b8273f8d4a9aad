//! What every engine under the store must do. Each test runs on each engine of [`world::engines`].
#![expect(clippy::unwrap_used, reason = "a test that cannot go on may stop")]

#[path = "conformance/snapshots.rs"]
mod snapshots;
#[path = "conformance/world.rs"]
mod world;

#[path = "conformance/agents.rs"]
mod agents;
#[path = "conformance/attachments.rs"]
mod attachments;
#[path = "conformance/automations.rs"]
mod automations;
#[path = "conformance/chain.rs"]
mod chain;
#[path = "conformance/commit.rs"]
mod commit;
#[path = "conformance/deltas.rs"]
mod deltas;
#[path = "conformance/errands.rs"]
mod errands;
#[path = "conformance/fleets.rs"]
mod fleets;
#[path = "conformance/following.rs"]
mod following;
#[path = "conformance/hands.rs"]
mod hands;
#[path = "conformance/lists.rs"]
mod lists;
#[path = "conformance/opening.rs"]
mod opening;
#[path = "conformance/processes.rs"]
mod processes;
#[path = "conformance/projection.rs"]
mod projection;
#[path = "conformance/requests.rs"]
mod requests;
#[path = "conformance/sessions.rs"]
mod sessions;
#[path = "conformance/tasks.rs"]
mod tasks;
#[path = "conformance/usage.rs"]
mod usage;
