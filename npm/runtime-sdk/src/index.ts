// Drives CodeWhale over its Runtime API: threads, turns, approvals, events, tasks, fleets.
//
// Start reading at client.ts; transport.ts sends, follow.ts keeps streams whole.

export { createRuntimeClient, RuntimeClient, type RawRequest } from "./client.js";
export {
  RuntimeApiError,
  RuntimeCapabilityError,
  RuntimeConnectionError,
  RuntimeError,
  RuntimeProtocolError,
  type Capability,
  type Refusal,
} from "./errors.js";
export type { ApprovalAnswer, Decision } from "./approvals.js";
export type { FleetEventsOptions } from "./fleet-events.js";
export type * from "./fleet-types.js";
export type { FollowOptions } from "./follow.js";
export type { StreamEvent } from "./one-shot.js";
export type { CallOptions, OnceOptions, RuntimeClientOptions } from "./options.js";
export type { components, operations, paths } from "./openapi.js";
export type { QuestionContext, RunTurnOptions, TurnResult, TurnRun } from "./run-turn.js";
export type { Health, RuntimeInfo } from "./runtime-info.js";
export type * from "./schema.js";
export type {
  ApprovalRequest,
  ThreadEvent,
  ThreadEventName,
  ThreadEventOf,
  ThreadEventPayloads,
} from "./thread-event.js";
export type { ThreadEventsOptions } from "./thread-events.js";
