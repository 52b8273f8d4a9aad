//! The store: every SQL statement of the product, and the one writer of its log.
//!
//! What happened is an event in an append-only log with one global, growing `seq`; rows are the
//! current state, written in the same transaction. A [`Batch`] is committed whole or not at all; a
//! [`DeltaWriter`] is the fast lane for streamed text; a [`Subscription`] follows a stream from a
//! cursor without gap or repeat; a [`Reader`] answers everything else from one moment of the log.
//!
//! Must not know: turns in progress, models, doors. It is given time, ids and redaction. Start
//! reading at [`Store`], then `writer.rs`.

mod batch;
mod chain;
mod checkpoint;
mod db;
mod delta;
mod envelope;
mod error;
mod guard;
mod home;
mod hub;
mod limits;
mod migrate;
mod owner;
mod queue;
mod reader;
mod stamp;
mod store;
mod subscription;
mod tables;
mod watched;
mod writer;

#[cfg(test)]
mod testing;

pub use batch::{About, Batch, Committed, Durability};
pub use delta::DeltaWriter;
pub use error::{Cause, Error, OpenError};
pub use guard::{Guard, Lease};
pub use hub::ErrandNews;
pub use migrate::whole_schema;
pub use reader::{Reader, Verified};
pub use stamp::Stamp;
pub use store::{CommitTicket, Options, Place, Store, Writing};
pub use subscription::Subscription;
pub use tables::agent_runs::{Kin, StoredRun, Tally};
pub use tables::automations::{BegunBy, NewRun, StoredAutomation};
pub use tables::effects::Intent;
pub use tables::fleets::{FleetRun, FleetSeat, FleetTask, StoredFleet, StoredFleetRun};
pub use tables::goals::Spending;
pub use tables::items::StoredItem;
pub use tables::leases::{LeaseState, OwnerRow};
pub use tables::requests::{Answered, RequestId, RequestRow};
pub use tables::restorations::Restoration;
pub use tables::rooms::{Located, MemberRow, PrincipalRow, RoomRow};
pub use tables::sessions::{SessionFigures, SessionQuery};
pub use tables::snapshots::{SnapshotKind, SnapshotRow, StoredSnapshot};
pub use tables::subjects::SubjectState;
pub use tables::tasks::{StoredTask, TaskQuery};
pub use tables::threads::{ListedThread, Shown, StoredThread, ThreadQuery, ThreadWords};
pub use tables::turns::StoredTurn;
pub use tables::usage::{UsageGroup, UsageQuery, UsageRow, UsageSum};
pub use watched::{Watch, Watched};
