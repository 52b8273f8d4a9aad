//! The orders of events that clients rely on, each from its cause to its end.

mod approvals;
mod failures;
mod forks;
mod interrupts;
mod steers;
mod turns;
mod wire;
