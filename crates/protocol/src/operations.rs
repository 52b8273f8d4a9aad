//! The operation table: every request and answer the product has, one line each.
//!
//! HTTP routes, JSON-RPC methods, the OpenAPI document, the typed client and the tests that walk
//! all routes are loops over [`Op::ALL`]. A handler that is missing is a compile error in the
//! runtime, because it walks the same list with [`for_each_operation`](crate::for_each_operation).

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::Scope;
use crate::runtime::{
    self, AgentRun, AgentRunParams, AgentRuns, AgentRunsListParams, ApprovalReceipt,
    ApprovalsDecideParams, AttachmentContent, AttachmentParams, AttachmentRecord,
    AttachmentsAddParams, AutomationParams, AutomationRecord, AutomationRunRecord,
    AutomationRunsParams, AutomationsCreateParams, AutomationsListParams, AutomationsPatchParams,
    CallsStopParams, ConfigChanged, ConfigReloaded, ConfigSetParams, ConfigView, FleetCreateParams,
    FleetCreated, FleetDetail, FleetInspection, FleetListParams, FleetReceiptParams,
    FleetReplayParams, FleetRestarted, FleetRunParams, FleetRuns, FleetStartParams, FleetStarted,
    FleetStopped, FleetWorkerActed, FleetWorkerParams, Goal, GoalSet, GoalsSetParams,
    McpServerList, McpServersParams, McpToolList, McpToolsParams, MemoryAddParams, MemoryAdded,
    MemoryClearParams, MemoryCleared, MemoryFound, MemoryGetParams, MemoryListParams, NoParams,
    ProviderList, ProviderModels, ProviderParams, ProviderSwitched, ProvidersSwitchParams, Retried,
    SessionExport, SessionList, SessionParams, SessionPatched, SessionResumed, SessionSaved,
    SessionSummary, SessionView, SessionsExportParams, SessionsGetParams, SessionsListParams,
    SessionsPatchParams, SessionsResumeParams, SessionsSaveParams, SkillList, SnapshotRestored,
    SnapshotSummary, SnapshotsListParams, SnapshotsRestoreParams, TaskList, TaskParams, TaskRecord,
    TasksCreateParams, TasksListParams, ThreadDetail, ThreadParams, ThreadRecord, ThreadSummary,
    ThreadsCompactParams, ThreadsCreateParams, ThreadsListParams, ThreadsPatchParams,
    ThreadsRetryParams, ThreadsSummaryParams, ThreadsUndoParams, ToolCallsResultParams, ToolList,
    ToolsCallParams, TurnDetail, TurnItemRecord, TurnParams, TurnRecord, TurnWithThread,
    TurnsInterruptParams, TurnsStartParams, TurnsSteerParams, Undone, UsageReportParams,
    UserInputAnswerParams, UserInputReceipt, WorkspaceParams, WorkspaceSetTrustParams,
    WorkspaceStatus, WorkspaceTrust, WorkspaceTrustParams,
};

/// How a request is made over HTTP.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// Look.
    Get,
    /// Make or do.
    Post,
    /// Change in part.
    Patch,
    /// Put in the place of what is there.
    Put,
    /// Take away.
    Delete,
}

/// Where the parameters stand in an HTTP request, besides the path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Input {
    /// In the query.
    Query,
    /// In a JSON body.
    Body,
    /// In a JSON body that may be left out.
    OptionalBody,
    /// Nowhere: a body, whatever it is, is not read.
    Nothing,
}

/// What the caller wants to do in a room; the role there decides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Right {
    /// See that the room and its threads exist, and their state.
    ReadRoom,
    /// Read transcripts.
    ReadThread,
    /// Start, steer and stop work.
    Run,
    /// Answer approvals.
    Decide,
    /// Rename, archive, change settings.
    Manage,
}

/// What someone is in a room.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// May do everything.
    Owner,
    /// May work and answer approvals.
    Approver,
    /// May work.
    Participant,
    /// May look at state.
    Viewer,
}

impl Role {
    /// Reads the word in the store.
    pub fn parse(text: &str) -> Option<Role> {
        Some(match text {
            "owner" => Role::Owner,
            "approver" => Role::Approver,
            "participant" => Role::Participant,
            "viewer" => Role::Viewer,
            _ => return None,
        })
    }

    /// The word in the store.
    pub fn as_str(self) -> &'static str {
        match self {
            Role::Owner => "owner",
            Role::Approver => "approver",
            Role::Participant => "participant",
            Role::Viewer => "viewer",
        }
    }

    /// Whether the role includes the right.
    pub fn has(self, right: Right) -> bool {
        match right {
            Right::ReadRoom => true,
            Right::ReadThread | Right::Run => self != Role::Viewer,
            Right::Decide => matches!(self, Role::Owner | Role::Approver),
            Right::Manage => self == Role::Owner,
        }
    }
}

/// Which parameter leads to the room whose roles decide.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Locate {
    /// None: the answer is cut to the rooms the caller is in.
    Visible,
    /// The room named or implied by what is to be made.
    Target,
    /// The room of `thread_id`.
    Thread,
    /// The room of the thread that `approval_id` belongs to.
    Approval,
    /// The room of the thread that `session_id` names.
    Session,
}

/// One line of the table.
#[derive(Debug)]
pub struct Row {
    /// The name, `noun/verb`.
    pub name: &'static str,
    /// What it does, in a sentence.
    pub summary: &'static str,
    /// The HTTP method.
    pub method: Method,
    /// The HTTP path; parts in braces are parameters.
    pub path: &'static str,
    /// The HTTP status of success.
    pub status: u16,
    /// The HTTP status when something new was made, where that is told apart.
    pub status_made: Option<u16>,
    /// Where the other parameters stand.
    pub input: Input,
    /// What the token must allow.
    pub scope: Scope,
    /// What the role must allow.
    pub right: Right,
    /// In which room.
    pub locate: Locate,
    /// Whether a call with a key is done only once, however often it is sent. So is everything
    /// that makes or starts something each time.
    pub once: bool,
    /// The schema of the parameters.
    pub params_schema: fn(&mut SchemaGenerator) -> Schema,
    /// The schema of the answer.
    pub output_schema: fn(&mut SchemaGenerator) -> Schema,
}

/// An operation with its types.
pub trait Operation {
    /// Its line.
    const OP: Op;
    /// What it takes.
    type Params: Serialize + DeserializeOwned + JsonSchema + Send;
    /// What it answers.
    type Output: Serialize + DeserializeOwned + JsonSchema + Send;
}

macro_rules! status_made {
    () => {
        None
    };
    ($status:literal) => {
        Some($status)
    };
}

macro_rules! is_once {
    () => {
        false
    };
    (once) => {
        true
    };
}

macro_rules! operations {
    (($d:tt) $(
        #[doc = $summary:literal]
        $variant:ident = $name:literal, $method:ident $path:literal => $status:literal $(or $made:literal)?,
        $input:ident($params:ty) -> $output:ty, $scope:ident, $right:ident in $locate:ident
        $(, $once:ident)?;
    )*) => {
        /// An operation, by name.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Op {
            $(#[doc = $summary] $variant,)*
        }

        impl Op {
            /// Every operation, in the order of the table.
            pub const ALL: &'static [Op] = &[$(Op::$variant),*];

            /// The line of the table.
            pub fn row(self) -> &'static Row {
                match self {
                    $(Op::$variant => {
                        const ROW: Row = Row {
                            name: $name,
                            summary: $summary,
                            method: Method::$method,
                            path: $path,
                            status: $status,
                            status_made: status_made!($($made)?),
                            input: Input::$input,
                            scope: Scope::$scope,
                            right: Right::$right,
                            locate: Locate::$locate,
                            once: is_once!($($once)?),
                            params_schema: |generator| generator.subschema_for::<$params>(),
                            output_schema: |generator| generator.subschema_for::<$output>(),
                        };
                        &ROW
                    })*
                }
            }
        }

        $(
            #[doc = $summary]
            #[derive(Clone, Copy, Debug)]
            pub struct $variant;

            impl Operation for $variant {
                const OP: Op = Op::$variant;
                type Params = $params;
                type Output = $output;
            }
        )*

        /// Hands the names of all operations to another macro.
        #[macro_export]
        macro_rules! for_each_operation {
            ($d callback:ident) => { $d callback! { $($variant)* } };
        }
    };
}

operations! { ($)
    #[doc = "Makes a thread."]
    ThreadsCreate = "threads/create", Post "/v1/threads" => 201,
        OptionalBody(ThreadsCreateParams) -> ThreadRecord, Run, Run in Target, once;
    #[doc = "Lists threads, the last changed first."]
    ThreadsList = "threads/list", Get "/v1/threads" => 200,
        Query(ThreadsListParams) -> Vec<ThreadRecord>, Read, ReadRoom in Visible;
    #[doc = "Lists threads as short lines with title, preview and the state of their workspace."]
    ThreadsSummary = "threads/summary", Get "/v1/threads/summary" => 200,
        Query(ThreadsSummaryParams) -> Vec<ThreadSummary>, Read, ReadRoom in Visible;
    #[doc = "Reads a whole thread at one moment of the log."]
    ThreadsGet = "threads/get", Get "/v1/threads/{thread_id}" => 200,
        Nothing(ThreadParams) -> ThreadDetail, Read, ReadThread in Thread;
    #[doc = "Changes settings of a thread."]
    ThreadsPatch = "threads/patch", Patch "/v1/threads/{thread_id}" => 200,
        Body(ThreadsPatchParams) -> ThreadRecord, Run, Manage in Thread;
    #[doc = "Loads a thread, so that its next turn starts at once."]
    ThreadsResume = "threads/resume", Post "/v1/threads/{thread_id}/resume" => 200,
        Nothing(ThreadParams) -> ThreadRecord, Run, Run in Thread;
    #[doc = "Copies a thread with its turns and items."]
    ThreadsFork = "threads/fork", Post "/v1/threads/{thread_id}/fork" => 201,
        Nothing(ThreadParams) -> ThreadRecord, Run, Run in Thread, once;
    #[doc = "Copies a thread without its last turns and puts their files back, both or neither."]
    ThreadsUndo = "threads/undo", Post "/v1/threads/{thread_id}/undo" => 201,
        OptionalBody(ThreadsUndoParams) -> Undone, Run, Run in Thread, once;
    #[doc = "The same as undo, under its other name."]
    ThreadsPatchUndo = "threads/patch-undo", Post "/v1/threads/{thread_id}/patch-undo" => 201,
        OptionalBody(ThreadsUndoParams) -> Undone, Run, Run in Thread, once;
    #[doc = "Undoes the last turns and starts one in their place."]
    ThreadsRetry = "threads/retry", Post "/v1/threads/{thread_id}/retry" => 201,
        OptionalBody(ThreadsRetryParams) -> Retried, Run, Run in Thread, once;
    #[doc = "Starts a turn that shortens the conversation to a summary."]
    ThreadsCompact = "threads/compact", Post "/v1/threads/{thread_id}/compact" => 202,
        OptionalBody(ThreadsCompactParams) -> TurnWithThread, Run, Run in Thread, once;
    #[doc = "Starts a turn. The answer comes once the turn is stored; the work goes on behind it."]
    TurnsStart = "turns/start", Post "/v1/threads/{thread_id}/turns" => 201,
        Body(TurnsStartParams) -> TurnWithThread, Run, Run in Thread, once;
    #[doc = "Reads a turn with its items and what it waits for, at one moment of the log."]
    TurnsGet = "turns/get", Get "/v1/turns/{turn_id}" => 200,
        Nothing(TurnParams) -> TurnDetail, Read, ReadThread in Visible;
    #[doc = "Adds to a running turn."]
    TurnsSteer = "turns/steer", Post "/v1/threads/{thread_id}/turns/{turn_id}/steer" => 200,
        Body(TurnsSteerParams) -> TurnRecord, Run, Run in Thread, once;
    #[doc = "Stops a running turn. Its end arrives as an event."]
    TurnsInterrupt = "turns/interrupt", Post "/v1/threads/{thread_id}/turns/{turn_id}/interrupt" => 200,
        Nothing(TurnsInterruptParams) -> TurnRecord, Run, Run in Thread;
    #[doc = "Attaches a picture or a sound to a thread, for a turn to show to the model."]
    AttachmentsAdd = "attachments/add", Post "/v1/threads/{thread_id}/attachments" => 201,
        Body(AttachmentsAddParams) -> AttachmentRecord, Run, Run in Thread, once;
    #[doc = "Reads an attachment of a thread with its content."]
    AttachmentsGet = "attachments/get", Get "/v1/threads/{thread_id}/attachments/{attachment_id}" => 200,
        Nothing(AttachmentParams) -> AttachmentContent, Read, ReadThread in Thread;
    #[doc = "Stops one call of a running turn. The turn goes on: its agent reads that a person stopped the call."]
    CallsStop = "calls/stop", Post "/v1/threads/{thread_id}/items/{item_id}/stop" => 200,
        Nothing(CallsStopParams) -> TurnItemRecord, Run, Run in Thread;
    #[doc = "Tells what a thread works towards."]
    GoalsGet = "goals/get", Get "/v1/threads/{thread_id}/goal" => 200,
        Nothing(ThreadParams) -> Goal, Read, ReadThread in Thread;
    #[doc = "Gives a thread a goal, in place of the one it has. Its agent goes on, turn after turn, until the goal is reached, blocked, paused, or out of its budget."]
    GoalsSet = "goals/set", Put "/v1/threads/{thread_id}/goal" => 200 or 201,
        Body(GoalsSetParams) -> GoalSet, Run, Run in Thread;
    #[doc = "Takes the goal of a thread away."]
    GoalsClear = "goals/clear", Delete "/v1/threads/{thread_id}/goal" => 204,
        Nothing(ThreadParams) -> (), Run, Run in Thread;
    #[doc = "Calls the goal of a thread reached."]
    GoalsComplete = "goals/complete", Post "/v1/threads/{thread_id}/goal/complete" => 200,
        Nothing(ThreadParams) -> Goal, Run, Run in Thread;
    #[doc = "Calls the goal of a thread blocked: its agent does not go on by itself."]
    GoalsBlock = "goals/block", Post "/v1/threads/{thread_id}/goal/block" => 200,
        Nothing(ThreadParams) -> Goal, Run, Run in Thread;
    #[doc = "Lists the receipts of sub-agents, the last changed first."]
    AgentRunsList = "agent-runs/list", Get "/v1/agent-runs" => 200,
        Query(AgentRunsListParams) -> AgentRuns, Read, ReadThread in Visible;
    #[doc = "Reads the receipt of a sub-agent, by its run or by itself."]
    AgentRunsGet = "agent-runs/get", Get "/v1/agent-runs/{run_id}" => 200,
        Nothing(AgentRunParams) -> AgentRun, Read, ReadThread in Visible;
    #[doc = "Lists background tasks, newest first, and counts them."]
    TasksList = "tasks/list", Get "/v1/tasks" => 200,
        Query(TasksListParams) -> TaskList, Read, ReadThread in Visible;
    #[doc = "Puts a prompt into the queue of background tasks."]
    TasksCreate = "tasks/create", Post "/v1/tasks" => 201,
        Body(TasksCreateParams) -> TaskRecord, Run, Run in Target, once;
    #[doc = "Reads a background task with what its thread tells about it."]
    TasksGet = "tasks/get", Get "/v1/tasks/{task_id}" => 200,
        Nothing(TaskParams) -> TaskRecord, Read, ReadThread in Visible;
    #[doc = "Calls a background task off. One that runs is told to stop; its end arrives later."]
    TasksCancel = "tasks/cancel", Post "/v1/tasks/{task_id}/cancel" => 200,
        Nothing(TaskParams) -> TaskRecord, Run, Run in Visible;
    #[doc = "Lists automations, the last changed first."]
    AutomationsList = "automations/list", Get "/v1/automations" => 200,
        Query(AutomationsListParams) -> Vec<AutomationRecord>, Read, ReadThread in Visible;
    #[doc = "Makes an automation: a prompt that the clock puts into the queue of tasks."]
    AutomationsCreate = "automations/create", Post "/v1/automations" => 201,
        Body(AutomationsCreateParams) -> AutomationRecord, Run, Run in Target, once;
    #[doc = "Reads an automation."]
    AutomationsGet = "automations/get", Get "/v1/automations/{automation_id}" => 200,
        Nothing(AutomationParams) -> AutomationRecord, Read, ReadThread in Visible;
    #[doc = "Changes an automation. Another schedule or status counts from now on."]
    AutomationsPatch = "automations/patch", Patch "/v1/automations/{automation_id}" => 200,
        Body(AutomationsPatchParams) -> AutomationRecord, Run, Run in Visible;
    #[doc = "Takes an automation away, with its runs."]
    AutomationsDelete = "automations/delete", Delete "/v1/automations/{automation_id}" => 200,
        Nothing(AutomationParams) -> AutomationRecord, Run, Run in Visible;
    #[doc = "Begins a run now. The schedule stays as it is."]
    AutomationsRun = "automations/run", Post "/v1/automations/{automation_id}/run" => 200,
        Nothing(AutomationParams) -> AutomationRunRecord, Run, Run in Visible, once;
    #[doc = "Pauses an automation."]
    AutomationsPause = "automations/pause", Post "/v1/automations/{automation_id}/pause" => 200,
        Nothing(AutomationParams) -> AutomationRecord, Run, Run in Visible;
    #[doc = "Lets the clock count for an automation again."]
    AutomationsResume = "automations/resume", Post "/v1/automations/{automation_id}/resume" => 200,
        Nothing(AutomationParams) -> AutomationRecord, Run, Run in Visible;
    #[doc = "Lists the runs of an automation, newest first."]
    AutomationsRuns = "automations/runs", Get "/v1/automations/{automation_id}/runs" => 200,
        Query(AutomationRunsParams) -> Vec<AutomationRunRecord>, Read, ReadThread in Visible;
    #[doc = "Lists fleet runs and counts their tasks."]
    FleetList = "fleet/list", Get "/v1/fleet/runs" => 200,
        Query(FleetListParams) -> FleetRuns, Read, ReadThread in Visible;
    #[doc = "Makes a fleet run: independent tasks for workers of their own. Nothing runs before its start."]
    FleetCreate = "fleet/create", Post "/v1/fleet/runs" => 201,
        Body(FleetCreateParams) -> FleetCreated, Run, Run in Target, once;
    #[doc = "Reads a fleet run with what it was asked to do."]
    FleetGet = "fleet/get", Get "/v1/fleet/runs/{run_id}" => 200,
        Nothing(FleetRunParams) -> FleetDetail, Read, ReadThread in Visible;
    #[doc = "Starts a fleet run, or goes on with one whose process has ended. Workers begin behind the answer."]
    FleetStart = "fleet/start", Post "/v1/fleet/runs/{run_id}/start" => 202,
        OptionalBody(FleetStartParams) -> FleetStarted, Run, Run in Visible, once;
    #[doc = "Calls off every task of a fleet run that has not ended."]
    FleetStop = "fleet/stop", Post "/v1/fleet/runs/{run_id}/stop" => 200,
        Nothing(FleetRunParams) -> FleetStopped, Run, Run in Visible;
    #[doc = "Lists the workers of a fleet run."]
    FleetWorkers = "fleet/workers", Get "/v1/fleet/runs/{run_id}/workers" => 200,
        Nothing(FleetRunParams) -> runtime::FleetWorkers, Read, ReadThread in Visible;
    #[doc = "Reads events of a fleet run: those behind a cursor, or the newest."]
    FleetReplay = "fleet/replay", Get "/v1/fleet/runs/{run_id}/events/replay" => 200,
        Query(FleetReplayParams) -> runtime::FleetReplay, Read, ReadThread in Visible;
    #[doc = "Lists what became of the tasks of a fleet run."]
    FleetReceipts = "fleet/receipts", Get "/v1/fleet/runs/{run_id}/receipts" => 200,
        Nothing(FleetRunParams) -> runtime::FleetReceipts, Read, ReadThread in Visible;
    #[doc = "Tells what became of a task of a fleet run."]
    FleetReceipt = "fleet/receipt", Get "/v1/fleet/runs/{run_id}/receipts/{task_id}" => 200,
        Nothing(FleetReceiptParams) -> runtime::FleetReceipt, Read, ReadThread in Visible;
    #[doc = "Shows the beginning of what a task of a fleet run left."]
    FleetEvidence = "fleet/evidence", Get "/v1/fleet/runs/{run_id}/receipts/{task_id}/evidence" => 200,
        Nothing(FleetReceiptParams) -> runtime::FleetEvidence, Read, ReadThread in Visible;
    #[doc = "Tells how a worker of a fleet is."]
    FleetWorker = "fleet/worker", Get "/v1/fleet/workers/{worker_id}" => 200,
        Nothing(FleetWorkerParams) -> FleetInspection, Read, ReadThread in Visible;
    #[doc = "Calls off the task that a worker has. The others go on."]
    FleetInterruptWorker = "fleet/interrupt-worker", Post "/v1/fleet/workers/{worker_id}/interrupt" => 200,
        Nothing(FleetWorkerParams) -> FleetWorkerActed, Run, Run in Visible;
    #[doc = "The same as interrupting a worker, under its other name."]
    FleetStopWorker = "fleet/stop-worker", Post "/v1/fleet/workers/{worker_id}/stop" => 200,
        Nothing(FleetWorkerParams) -> FleetWorkerActed, Run, Run in Visible;
    #[doc = "Has the latest task of a worker done again, by the same worker."]
    FleetRestartWorker = "fleet/restart-worker", Post "/v1/fleet/workers/{worker_id}/restart" => 200,
        Nothing(FleetWorkerParams) -> FleetRestarted, Run, Run in Visible, once;
    #[doc = "Answers an approval. The first answer wins."]
    ApprovalsDecide = "approvals/decide", Post "/v1/approvals/{approval_id}" => 200,
        Body(ApprovalsDecideParams) -> ApprovalReceipt, Approve, Decide in Approval;
    #[doc = "Answers questions of the agent. The answers reach the model and are kept nowhere."]
    UserInputAnswer = "user-input/answer", Post "/v1/user-input/{thread_id}/{input_id}" => 200,
        Body(UserInputAnswerParams) -> UserInputReceipt, Run, Run in Thread;
    #[doc = "Answers a call of a tool that the client runs. The first answer counts."]
    ToolCallsResult = "tool-calls/result",
        Post "/v1/threads/{thread_id}/turns/{turn_id}/tool-calls/{call_id}/result" => 202,
        Body(ToolCallsResultParams) -> (), Run, Run in Thread;
    #[doc = "Lists the tools that threads have in any case. Those of servers and workspaces come beside them."]
    ToolsList = "tools/list", Get "/v1/tools" => 200,
        Nothing(NoParams) -> ToolList, Read, ReadRoom in Visible;
    #[doc = "Starts a turn that runs one call of a tool and asks no model. Law, approvals, walls and the log are those of every turn."]
    ToolsCall = "tools/call", Post "/v1/threads/{thread_id}/tool-calls" => 201,
        Body(ToolsCallParams) -> TurnWithThread, Run, Run in Thread, once;
    #[doc = "Lists sessions: threads that have something in them, seen as recordings."]
    SessionsList = "sessions/list", Get "/v1/sessions" => 200,
        Query(SessionsListParams) -> SessionList, Read, ReadRoom in Visible;
    #[doc = "Lists sessions as short lines."]
    SessionsSummary = "sessions/summary", Get "/v1/sessions/summary" => 200,
        Query(SessionsListParams) -> Vec<SessionSummary>, Read, ReadRoom in Visible;
    #[doc = "Reads a session: all of it, or its last entries."]
    SessionsGet = "sessions/get", Get "/v1/sessions/{session_id}" => 200,
        Query(SessionsGetParams) -> SessionView, Read, ReadThread in Session;
    #[doc = "Renames a session, puts it away or brings it back."]
    SessionsPatch = "sessions/patch", Patch "/v1/sessions/{session_id}" => 200,
        Body(SessionsPatchParams) -> SessionPatched, Run, Manage in Session;
    #[doc = "Deletes a session: no door shows it or its thread any more. The log stays whole."]
    SessionsDelete = "sessions/delete", Delete "/v1/sessions/{session_id}" => 204,
        Nothing(SessionParams) -> (), Run, Manage in Session;
    #[doc = "Tells under which id a thread is kept as a session, and gives it a title."]
    SessionsSave = "sessions/save", Post "/v1/sessions" => 201,
        Body(SessionsSaveParams) -> SessionSaved, Run, Manage in Thread;
    #[doc = "Hands out a whole session: the one named, or the last changed."]
    SessionsExport = "sessions/export", Put "/v1/sessions" => 200,
        OptionalBody(SessionsExportParams) -> SessionExport, Read, ReadThread in Visible;
    #[doc = "Goes on with a session: its thread, loaded, with the model and mode that were asked for."]
    SessionsResume = "sessions/resume-thread", Post "/v1/sessions/{session_id}/resume-thread" => 201,
        OptionalBody(SessionsResumeParams) -> SessionResumed, Run, Run in Session;
    #[doc = "Lists the restore points of a workspace, newest first."]
    SnapshotsList = "snapshots/list", Get "/v1/snapshots" => 200,
        Query(SnapshotsListParams) -> Vec<SnapshotSummary>, Read, ReadThread in Visible;
    #[doc = "Brings the files of a workspace back to a snapshot, with the conversation that belongs to them."]
    SnapshotsRestore = "snapshots/restore", Post "/v1/snapshots/{snapshot_id}/restore" => 200,
        Nothing(SnapshotsRestoreParams) -> SnapshotRestored, Run, Run in Visible, once;
    #[doc = "Tells what a workspace brings along that could act, and whether it is trusted."]
    WorkspacesTrust = "workspaces/trust", Get "/v1/workspace/trust" => 200,
        Query(WorkspaceTrustParams) -> WorkspaceTrust, Read, ReadRoom in Visible;
    #[doc = "Trusts what a workspace brings along, as it is now, or stops trusting it."]
    WorkspacesSetTrust = "workspaces/set-trust", Post "/v1/workspace/trust" => 200,
        Body(WorkspaceSetTrustParams) -> WorkspaceTrust, Admin, Manage in Visible;
    #[doc = "Lists the MCP servers and how they are. Starts nothing."]
    McpServers = "mcp/servers", Get "/v1/apps/mcp/servers" => 200,
        Query(McpServersParams) -> McpServerList, Read, ReadRoom in Visible;
    #[doc = "Lists the tools of MCP servers. Starts nothing unless asked to."]
    McpTools = "mcp/tools", Get "/v1/apps/mcp/tools" => 200,
        Query(McpToolsParams) -> McpToolList, Read, ReadRoom in Visible;
    #[doc = "Adds up what turns used and what that cost."]
    UsageReport = "usage/report", Get "/v1/usage" => 200,
        Query(UsageReportParams) -> runtime::UsageReport, Read, ReadRoom in Visible;
    #[doc = "Tells how the repository of a workspace stands."]
    WorkspacesStatus = "workspaces/status", Get "/v1/workspace/status" => 200,
        Query(WorkspaceParams) -> WorkspaceStatus, Read, ReadRoom in Visible;
    #[doc = "Lists the skills that count in a workspace."]
    SkillsList = "skills/list", Get "/v1/skills" => 200,
        Query(WorkspaceParams) -> SkillList, Read, ReadRoom in Visible;
    #[doc = "Lists the notes that agents keep for later threads."]
    MemoryList = "memory/list", Get "/v1/memory" => 200,
        Query(MemoryListParams) -> runtime::MemoryList, Read, ReadThread in Visible;
    #[doc = "Reads one note."]
    MemoryGet = "memory/get", Get "/v1/memory/{memory_id}" => 200,
        Nothing(MemoryGetParams) -> MemoryFound, Read, ReadThread in Visible;
    #[doc = "Keeps a note for later threads."]
    MemoryAdd = "memory/add", Post "/v1/memory" => 200 or 201,
        Body(MemoryAddParams) -> MemoryAdded, Run, Manage in Visible;
    #[doc = "Forgets all notes that hold somewhere."]
    MemoryClear = "memory/clear", Delete "/v1/memory" => 200,
        Query(MemoryClearParams) -> MemoryCleared, Admin, Manage in Visible;
    #[doc = "Lists the providers of models, and tells which one new threads use."]
    ProvidersList = "providers/list", Get "/v1/providers" => 200,
        Nothing(NoParams) -> ProviderList, Read, ReadRoom in Visible;
    #[doc = "Lists the models that are known of a provider."]
    ProvidersModels = "providers/models", Get "/v1/providers/{provider_id}/models" => 200,
        Nothing(ProviderParams) -> ProviderModels, Read, ReadRoom in Visible;
    #[doc = "Makes a provider the one that new threads use, and keeps that. Threads there are keep theirs."]
    ProvidersSwitch = "providers/switch", Post "/v1/providers/{provider_id}/switch" => 200,
        OptionalBody(ProvidersSwitchParams) -> ProviderSwitched, Admin, Manage in Visible;
    #[doc = "Shows the settings that count. Secrets are told as set."]
    ConfigGet = "config/get", Get "/v1/config" => 200,
        Nothing(NoParams) -> ConfigView, Read, Manage in Visible;
    #[doc = "Gives a setting another value, for good or until the program ends."]
    ConfigSet = "config/set", Post "/v1/config" => 200,
        Body(ConfigSetParams) -> ConfigChanged, Admin, Manage in Visible;
    #[doc = "Reads the configuration file again. A broken one changes nothing."]
    ConfigReload = "config/reload", Post "/v1/config/reload" => 200,
        Nothing(NoParams) -> ConfigReloaded, Admin, Manage in Visible;
}

impl Op {
    /// Finds an operation by its name.
    pub fn from_name(name: &str) -> Option<Op> {
        Op::ALL.iter().copied().find(|op| op.row().name == name)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_and_routes_are_unique_and_each_path_parameter_is_a_parameter() {
        let mut names = BTreeSet::new();
        let mut routes = BTreeSet::new();
        for op in Op::ALL {
            let row = op.row();
            assert!(names.insert(row.name), "{} twice", row.name);
            assert!(
                routes.insert((format!("{:?}", row.method), row.path)),
                "{} twice",
                row.path
            );
            // The others come to the same however often they are sent.
            assert!(!row.once || row.method == Method::Post, "{}", row.name);
            // A session is its thread: saving it and going on in it make nothing new; and a call
            // has one result, however often it is sent.
            let makes = row.method == Method::Post
                && matches!(row.status, 201 | 202)
                && !matches!(
                    op,
                    Op::SessionsSave | Op::SessionsResume | Op::ToolCallsResult
                );
            assert!(row.once || !makes, "{} makes something", row.name);
            let mut generator = SchemaGenerator::default();
            (row.params_schema)(&mut generator);
            let schema = serde_json::to_string(generator.definitions()).unwrap();
            for part in row
                .path
                .split('/')
                .filter_map(|part| part.strip_prefix('{'))
            {
                let name = part.trim_end_matches('}');
                assert!(
                    schema.contains(&format!("\"{name}\"")),
                    "{}: {name}",
                    row.name
                );
            }
        }
    }

    #[test]
    fn roles_are_nested_and_a_viewer_sees_state_only() {
        let all = [
            Right::ReadRoom,
            Right::ReadThread,
            Right::Run,
            Right::Decide,
            Right::Manage,
        ];
        let count = |role: Role| all.iter().filter(|right| role.has(**right)).count();
        assert_eq!(
            [Role::Viewer, Role::Participant, Role::Approver, Role::Owner].map(count),
            [1, 3, 4, 5]
        );
    }
}
