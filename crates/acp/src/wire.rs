//! The shapes of messages, version 1 of the protocol. What comes in is read with members we do not
//! know left aside; what goes out holds only what the published schema has.

mod ask;
mod content;
mod setup;
mod update;

pub(crate) use ask::{
    FormAnswer, PermissionAnswer, PermissionKind, PermissionOption, PermissionOutcome,
};
pub(crate) use content::{ContentBlock, EmbeddedResource};
pub(crate) use setup::{
    CancelParams, ClientCapabilities, ConfigChoice, ConfigOption, ConfigValue, InitializeParams,
    ListParams, McpServer, Modes, NewParams, OpenParams, Pair, PromptParams, SessionParams,
    SetConfigParams, SetModeParams, ShownMode, StopReason,
};
pub(crate) use update::{
    Chunk, Command, CommandInput, CompactionStatus, Cost, Location, PlanEntry, PlanStatus,
    Priority, Severity, ToolCall, ToolContent, ToolKind, ToolStatus, Update,
};
