// What the fleet routes take and answer.

export type FleetRunStatus = "pending" | "queued" | "running" | "paused" | "completed" | "failed" | "cancelled";
export type FleetTaskStatus = "enqueued" | "leased" | "completed" | "failed" | "cancelled";
export type FleetWorkerStatus =
  | "unknown"
  | "online"
  | "busy"
  | "offline"
  | "unhealthy"
  | "draining"
  | "retired";
export type FleetTarget = "this_computer" | "another_computer" | "cloud";

/** How many tasks stand where. */
export interface FleetStatus {
  runs: number;
  queued: number;
  running: number;
  completed: number;
  partial: number;
  failed: number;
  restarted: number;
  escalated: number;
  transport_failed: number;
  task_failed: number;
  verifier_failed: number;
  cancelled: number;
  stale: number;
  workers: Record<string, FleetWorkerStatus>;
}

export interface FleetTask {
  task_id: string;
  status: FleetTaskStatus;
  leased_to: string | null;
  attempts: number;
  /** Where its worker works, once there is one. */
  thread_id?: string;
}

export interface FleetRun {
  id: string;
  name: string;
  lifecycle_status: FleetRunStatus;
  status: FleetStatus;
  target: FleetTarget | null;
  workflow: { id: string; kind: string } | null;
  roles: string[];
  task_count: number;
  worker_count: number;
  tasks: FleetTask[];
  labels: Record<string, string>;
  workspace?: string;
  created_at: string;
  updated_at: string | null;
  completed_at: string | null;
}

export interface FleetRunDetail extends FleetRun {
  task_specs: FleetTaskSpec[];
  worker_specs: FleetWorkerSpec[];
}

export interface FleetTaskSpec {
  id: string;
  name: string;
  instructions: string;
  description?: string | null;
  objective?: string | null;
  worker?: FleetTaskWorker | null;
  workspace?: FleetTaskWorkspace | null;
  input_files?: string[];
  context?: unknown;
  budget?: { max_tokens?: number | null; max_tool_calls?: number | null; max_seconds?: number | null } | null;
  tags?: string[];
  expected_artifacts?: unknown[];
  scorer?: FleetScorer | null;
  retry_policy?: FleetRetryPolicy | null;
  alert_policy?: unknown;
  timeout_seconds?: number | null;
  metadata?: Record<string, unknown>;
}

export interface FleetTaskWorker {
  agent_profile?: string | null;
  role?: string | null;
  loadout?: string | null;
  model_class?: string | null;
  model?: string | null;
  tool_profile?: string | null;
  tools?: string[];
  capabilities?: string[];
}

export interface FleetTaskWorkspace {
  root?: string | null;
  required_files?: string[];
  writable_paths?: string[];
  environment?: { required?: string[]; allowlist?: string[] } | null;
}

export interface FleetRetryPolicy {
  max_attempts?: number;
  initial_backoff_seconds?: number;
  max_backoff_seconds?: number;
  backoff_multiplier?: number;
}

export type FleetScorer =
  | { kind: "exit_code" }
  | { kind: "file_exists"; path: string }
  | { kind: "regex_match"; path: string; pattern: string }
  | { kind: "json_path"; path: string; expression: string }
  | { kind: "command"; command: string; args?: string[] }
  | { kind: "code_whale_verifier_prompt"; prompt: string }
  | { kind: "manual" };

export interface FleetWorkerSpec {
  id: string;
  name: string;
  host: Record<string, unknown>;
  trust_level?: string | null;
  labels?: Record<string, string> | string[];
  capabilities?: string[];
  max_concurrent_tasks?: number | null;
}

/** What a run is made of. Nothing runs until it is started. */
export interface FleetRunSpec {
  name?: string;
  target: FleetTarget;
  roles: { name: string; agent_profile?: string }[];
  workflow: { id: string; kind: string; tasks: FleetTaskSpec[] };
  labels?: Record<string, string>;
  max_workers?: number;
  /** How long a worker may be silent before it counts as gone. */
  stale_after_seconds?: number;
  /** The directory to work in; the server's own when left out. */
  workspace?: string;
}

export interface FleetArtifact {
  kind: string;
  path: string;
  checksum: string | null;
  mime_type: string | null;
  size_bytes: number | null;
}

/** A worker, looked at. */
export interface FleetWorker {
  worker_id: string;
  status: FleetWorkerStatus;
  run_id: string | null;
  task_id: string | null;
  objective: string | null;
  role: string | null;
  /** `local`, `ssh:<host>` or `docker:<image>`. */
  host: string | null;
  latest_heartbeat_at: string | null;
  latest_event: Record<string, unknown> | null;
  artifacts: FleetArtifact[];
  last_error: string | null;
  alert_state: string | null;
  runtime_state: Record<string, unknown> | null;
}

export interface FleetRuns {
  status: FleetStatus;
  runs: FleetRun[];
}

export interface FleetWorkers {
  run_id: string;
  workers: FleetWorker[];
}

export interface FleetRunCreated {
  execution: string;
  run: FleetRunDetail;
  warnings: string[];
}

export interface FleetRunStarted {
  action: "start";
  execution: string;
  run_id: string;
  target: FleetTarget;
  leased: number;
  queued: number;
  worker_ids: string[];
}

export interface FleetRunStopped {
  action: "stop";
  run_id: string;
  stopped: number;
  status: FleetStatus;
}

export interface FleetWorkerAction {
  action: "interrupt" | "stop" | "restart";
  worker: FleetWorker;
  /** Told by a restart. */
  execution?: string;
  run_id?: string;
}

export interface FleetReceipt {
  run_id: string;
  task_id: string;
  worker_id: string;
  attempt: number | null;
  terminal_seq: number | null;
  completed_at: string;
  result: "pass" | "partial" | "fail" | "skip" | "timeout";
  failure_kind: "transport" | "task" | "verifier" | null;
  failure_class: string | null;
  retry_eligible: boolean;
  score: { value: number; max: number | null; notes: string | null } | null;
  artifacts: FleetArtifact[];
  evidence_available: boolean;
  thread_id?: string;
}

export interface FleetReceipts {
  run_id: string;
  receipts: FleetReceipt[];
}

export interface FleetEvidence {
  run_id: string;
  task_id: string;
  path: string;
  checksum: string | null;
  size_bytes: number;
  truncated: boolean;
  content: unknown;
}

/** Something that happened in a run. */
export interface FleetEvent {
  /** Where it stands; events about the stream itself have none. */
  cursor?: string;
  /** `fleet.run.*`, `fleet.task.*`, `fleet.worker.*`, `fleet.alert.sent`, `fleet.replay.*`. */
  event: string;
  run_id?: string;
  worker_id?: string | null;
  task_id?: string | null;
  timestamp?: string | null;
  worker_seq?: number | null;
  payload?: Record<string, unknown>;
  /** True when what is known of the run has to be read again. */
  reload_projection?: boolean;
}

export interface FleetEventPage {
  run_id: string;
  events: FleetEvent[];
  has_more: boolean;
  history_truncated: boolean;
  next_cursor?: string | null;
}
