//! The tables, one file per noun: the row, how it is written, how it is read.

pub(crate) mod actors;
pub(crate) mod agent_runs;
pub(crate) mod approvals;
pub(crate) mod automations;
pub(crate) mod client_calls;
pub(crate) mod effects;
pub(crate) mod errands;
pub(crate) mod events;
pub(crate) mod fleets;
pub(crate) mod goals;
pub(crate) mod items;
pub(crate) mod leases;
pub(crate) mod requests;
pub(crate) mod restorations;
pub(crate) mod rooms;
pub(crate) mod sessions;
pub(crate) mod snapshots;
pub(crate) mod streams;
pub(crate) mod subjects;
pub(crate) mod tasks;
pub(crate) mod threads;
pub(crate) mod trust;
pub(crate) mod turns;
pub(crate) mod usage;
pub(crate) mod user_inputs;

pub(crate) use agent_runs::AgentRunRow;
pub(crate) use approvals::ApprovalRow;
pub(crate) use automations::{AutomationRow, RunRow};
pub(crate) use client_calls::ClientCallRow;
pub(crate) use errands::ErrandRow;
pub(crate) use fleets::{FleetPartRow, FleetRunRow};
pub(crate) use goals::GoalRow;
pub(crate) use items::ItemRow;
pub(crate) use subjects::SubjectRow;
pub(crate) use tasks::TaskRow;
pub(crate) use threads::ThreadRow;
pub(crate) use turns::TurnRow;
pub(crate) use user_inputs::UserInputRow;

pub(crate) use effects::Intent;
pub(crate) use requests::RequestRow;
pub(crate) use restorations::Restoration;
pub(crate) use rooms::{MemberRow, PrincipalRow, RoomRow};
pub(crate) use snapshots::SnapshotRow;
pub(crate) use usage::UsageRow;
