//! Linux: how a command is started, enclosed and kept.
//!
//! ```text
//!  runtime ──fork──► entry ──► (namespaces) ──fork──► command ──► walls ──► exec
//!     │                           │
//!     └── control, status ──► keeper: reaps, signals, ends all that is left
//! ```
//!
//! Everything that allocates happens before the fork, in the modules that plan: [`landlock`],
//! [`seccomp`], [`places`]. Between fork and exec there are only bare calls to the kernel:
//! [`entry`], [`keeper`], [`sys`].

pub(crate) mod enclosure;
pub(crate) mod entry;
mod keeper;
mod landlock;
mod places;
mod rooms;
mod seccomp;
mod shared;
mod sockets;
mod step;
mod sys;

pub(crate) use landlock::abi as landlock_abi;
pub(crate) use seccomp::is_available as seccomp_is_available;
pub(crate) use shared::SharedRooms;
