// What happens on a thread: one payload for each name.

import type {
  Actor,
  AgentRunStatus,
  ApprovalDecision,
  AskedBy,
  AutomationRecord,
  CoherenceState,
  Goal,
  ItemKind,
  PendingApproval,
  PermissionPosture,
  TaskSummary,
  ThreadRecord,
  ToolCallRequested,
  TurnItemRecord,
  TurnRecord,
  UserInputRequest,
} from "./schema.js";

/** A question whether a call may run: the tool, what it would do, and why a person is asked. */
export interface ApprovalRequest extends Omit<PendingApproval, "turn_id"> {
  readonly approval_id: string;
}

interface ItemEnd {
  item: TurnItemRecord;
  auto?: boolean;
  messages_before?: number;
  messages_after?: number;
}

/** What became of a call that the client was asked to run. */
interface ToolCallNews {
  thread_id: string;
  turn_id: string;
  call_id: string;
  status: string;
}

interface AgentNews {
  item?: TurnItemRecord;
  agent_id: string;
  agent_thread_id: string;
  parent_thread_id: string;
  role: string;
  provider: string;
  model: string;
  status: AgentRunStatus;
}

/** The payload of each event. */
export interface ThreadEventPayloads {
  "thread.started": { thread: ThreadRecord };
  "thread.forked": {
    thread: ThreadRecord;
    source_thread_id: string;
    source_seq: number;
    backtrack_depth_from_tail?: number;
    dropped_turn_id?: string;
  };
  "thread.updated": { thread: ThreadRecord; changes: Record<string, unknown> };
  "turn.started": { turn: TurnRecord; manual_compaction?: boolean };
  "turn.lifecycle": { status: string; started_at: string };
  "turn.steered": { thread_id: string; turn_id: string; input: string };
  "turn.interrupt_requested": { thread_id: string; turn_id: string };
  "turn.completed": { turn: TurnRecord; recovered?: boolean };
  "item.started": {
    item: TurnItemRecord;
    tool?: { id: string; name: string; input: unknown };
    auto?: boolean;
  };
  /** `tool_call` is what a call prints while it runs; its item does not grow by it. */
  "item.delta": { delta: string; kind: ItemKind };
  "item.completed": ItemEnd;
  "item.failed": ItemEnd;
  "item.interrupted": ItemEnd;
  "item.canceled": ItemEnd;
  "approval.required": ApprovalRequest;
  "approval.decided": {
    approval_id: string;
    decision: ApprovalDecision;
    remember: boolean;
    auto?: boolean;
    timeout?: boolean;
    expired?: boolean;
    posture?: PermissionPosture;
  };
  "approval.timeout": { approval_id: string; timeout_secs: number };
  "user_input.required": { id: string; request: UserInputRequest; asked_by?: AskedBy };
  "user_input.answered": { id: string; input_id: string };
  "user_input.canceled": { id: string; input_id: string; terminal: boolean };
  "tool_call.requested": ToolCallRequested;
  "tool_call.resolved": ToolCallNews & { success: boolean; result_accepted: boolean };
  "tool_call.timeout": ToolCallNews & { timeout_secs: number };
  "tool_call.canceled": ToolCallNews & {
    reason: "turn_terminal" | "process_restart";
    terminal: boolean;
    recovered?: boolean;
  };
  "sandbox.denied": { tool_id: string; tool_name: string; reason: string };
  "agent.spawned": AgentNews;
  "agent.completed": AgentNews;
  thread_goal_updated: { kind: "thread_goal_updated"; goal: Goal };
  thread_goal_cleared: { kind: "thread_goal_cleared"; thread_id: string };
  "task.created": { task: TaskSummary };
  "task.updated": { task: TaskSummary };
  "automation.updated": { automation: AutomationRecord; change: string };
  "coherence.state": { state: CoherenceState; label: string; description: string };
}

export type ThreadEventName = keyof ThreadEventPayloads;

/** An event of one name. */
export interface ThreadEventOf<Name extends ThreadEventName> {
  readonly schema_version: number;
  /** Its place in the log of the whole store: it grows, and has gaps within a thread. */
  readonly seq: number;
  /** The place of the event before it on this thread. */
  readonly previous_seq?: number;
  readonly event: Name;
  readonly kind: Name;
  readonly thread_id: string;
  readonly turn_id: string | null;
  readonly item_id: string | null;
  readonly timestamp: string;
  readonly created_at?: string;
  readonly actor?: Actor;
  readonly actor_id?: string;
  readonly payload: ThreadEventPayloads[Name];
}

/** Something that happened on a thread. Newer servers have names that are not listed here: pass over
 * what you do not know. */
export type ThreadEvent = { [Name in ThreadEventName]: ThreadEventOf<Name> }[ThreadEventName];
