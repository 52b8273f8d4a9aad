//! The durable record: threads hold turns, turns hold items, and events explain every change.

mod agent_run;
mod approval;
mod attachment;
mod automation;
mod bounds;
mod call;
mod client_tool;
mod effort;
mod envelope;
mod event;
mod fleet;
mod goal;
mod id;
mod input;
mod item;
mod live;
mod mcp;
mod memory;
mod permission;
mod session;
mod settings;
mod snapshot;
mod subject;
mod task;
mod thread;
mod time;
mod tool;
mod trust;
mod turn;
mod usage;
mod usage_report;
mod user_input;
mod view;
mod workspace;

pub use agent_run::{
    AgentAdvice, AgentArtifact, AgentFollowUp, AgentNews, AgentRole, AgentRun, AgentRunEvent,
    AgentRunParams, AgentRunStatus, AgentRuns, AgentRunsListParams, AgentSpec, AgentTakeover,
    AgentUsage, AgentVerification,
};
pub use approval::{
    ApprovalAnswer, ApprovalDecision, ApprovalDetail, ApprovalReceipt, ApprovalRecord,
    ApprovalStatus, ApprovalsDecideParams, AskedBy, PendingApproval,
};
pub use attachment::{
    ATTACHMENT_BYTES_MAX, Attached, AttachmentContent, AttachmentParams, AttachmentRecord,
    AttachmentsAddParams, MediaKind, MediaType, Unattachable,
};
pub use automation::{
    AUTOMATION_SCHEMA_VERSION, AutomationChange, AutomationNews, AutomationParams,
    AutomationRecord, AutomationRunRecord, AutomationRunsParams, AutomationStatus,
    AutomationsCreateParams, AutomationsListParams, AutomationsPatchParams, DeliveryMode,
    MissedRuns,
};
pub use bounds::Bounds;
pub use call::CallsStopParams;
pub use client_tool::{
    AboutCall, DynamicTool, ToolCallCancelReason, ToolCallCanceled, ToolCallContent,
    ToolCallRequested, ToolCallResolved, ToolCallTimeout, ToolCallsResultParams,
};
pub use effort::Effort;
pub use envelope::{RuntimeEventEnvelope, SCHEMA_VERSION as ENVELOPE_SCHEMA_VERSION};
pub use event::{
    ApprovalDecided, ApprovalRequired, ApprovalTimeout, CoherenceChanged, Event, ItemChanged,
    ItemDelta, ItemStarted, RoomCreated, SandboxDenied, StoreCreated, ThreadForked, ThreadStarted,
    ThreadUpdated, ToolInvocation, TurnCompleted, TurnInterruptRequested, TurnLifecycle,
    TurnStarted, TurnSteered, UserInputAnswered, UserInputCanceled, UserInputRequired,
    WorkspaceTrustChanged,
};
pub use fleet::{
    FleetArtifact, FleetBudget, FleetCreateParams, FleetCreated, FleetDetail, FleetEvent,
    FleetEvidence, FleetExpectedArtifact, FleetFailureKind, FleetHost, FleetInspection,
    FleetLatestEvent, FleetLifecycle, FleetListParams, FleetNews, FleetReceipt, FleetReceiptParams,
    FleetReceiptRecorded, FleetReceipts, FleetReplay, FleetReplayParams, FleetRestarted,
    FleetResult, FleetRetryPolicy, FleetRole, FleetRunCreated, FleetRunParams,
    FleetRunStatusChanged, FleetRuns, FleetRuntimeState, FleetScore, FleetScorer, FleetStartParams,
    FleetStarted, FleetStatus, FleetStopped, FleetSummary, FleetTaskEnqueued, FleetTaskEntry,
    FleetTaskEnvironment, FleetTaskLeased, FleetTaskSpec, FleetTaskStatus, FleetTaskTerminal,
    FleetTaskWorker, FleetTaskWorkspace, FleetWorkerActed, FleetWorkerNews, FleetWorkerParams,
    FleetWorkerSpec, FleetWorkerState, FleetWorkerStatus, FleetWorkerView, FleetWorkers,
    FleetWorkflow, FleetWorkflowSpec,
};
pub use goal::{
    Goal, GoalCleared, GoalClearedKind, GoalSet, GoalUpdated, GoalUpdatedKind, GoalsSetParams,
};
pub use id::{
    ApprovalId, AttachmentId, AutomationId, AutomationRunId, ClientCallId, ErrandId, FleetRunId,
    GoalId, ItemId, OwnerId, PrincipalId, RoomId, Seq, StreamId, TaskId, ThreadId, TurnId,
    UserInputId,
};
pub use input::InputPart;
pub use item::{ItemKind, ItemStatus, RECORD_SCHEMA_VERSION, TurnItemRecord, summarize};
pub use live::{exit_code, is_watched_command, untold};
pub use mcp::{
    McpServerInfo, McpServerList, McpServersParams, McpToolInfo, McpToolList, McpToolsParams,
};
pub use memory::{
    MemoryAddParams, MemoryAdded, MemoryClearParams, MemoryCleared, MemoryEntry, MemoryFound,
    MemoryGetParams, MemoryList, MemoryListParams, MemoryReach, MemoryScope,
};
pub use permission::{Mode, Permission, PermissionPosture, UnknownSpelling};
pub use session::{
    PeekEntry, Session, SessionBlock, SessionCost, SessionExport, SessionList, SessionMessage,
    SessionMetadata, SessionParams, SessionPatched, SessionPeek, SessionResumed, SessionSaved,
    SessionSummary, SessionView, SessionsExportParams, SessionsGetParams, SessionsListParams,
    SessionsPatchParams, SessionsResumeParams, SessionsSaveParams,
};
pub use settings::{
    ConfigChanged, ConfigReloaded, ConfigSetParams, ConfigView, ModelInfo, NoParams, ProviderInfo,
    ProviderList, ProviderModels, ProviderParams, ProviderSwitched, ProvidersSwitchParams,
};
pub use snapshot::{
    PatchResult, Retried, SnapshotRestored, SnapshotSummary, SnapshotsListParams,
    SnapshotsRestoreParams, ThreadsRetryParams, ThreadsUndoParams, Undone,
};
pub use subject::{Standing, SubjectChange, project};
pub use task::{
    TASK_SCHEMA_VERSION, Task, TaskArtifact, TaskCall, TaskCallStatus, TaskChecklist, TaskCounts,
    TaskEntry, TaskEntryKind, TaskList, TaskNews, TaskParams, TaskRecord, TaskStatus, TaskStopping,
    TaskSummary, TaskTodo, TasksCreateParams, TasksListParams, TerminalReason, task_words,
};
pub use thread::{
    Audience, CoherenceState, ThreadDetail, ThreadKind, ThreadParams, ThreadRecord, ThreadSummary,
    ThreadsCompactParams, ThreadsCreateParams, ThreadsListParams, ThreadsPatchParams,
    ThreadsSummaryParams,
};
pub use time::Timestamp;
pub use tool::{ToolInfo, ToolList, ToolsCallParams};
pub use trust::{WorkspaceSetTrustParams, WorkspaceTrust, WorkspaceTrustParams};
pub use turn::{
    FailureClass, TurnDetail, TurnMeta, TurnOverrides, TurnParams, TurnRecord, TurnStatus,
    TurnWithThread, TurnsInterruptParams, TurnsStartParams, TurnsSteerParams,
};
pub use usage::Usage;
pub use usage_report::{UsageBucket, UsageGrouping, UsageReport, UsageReportParams, UsageTotals};
pub use user_input::{PendingUserInput, UserInputAnswerParams, UserInputReceipt, UserInputRequest};
pub use view::ThreadView;
pub use workspace::{SkillInfo, SkillList, WorkspaceParams, WorkspaceStatus};
