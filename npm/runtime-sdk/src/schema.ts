// Short names for what the generated file describes.

import type { components, operations } from "./openapi.js";

type Schemas = components["schemas"];
type Success = 200 | 201 | 202 | 204;

/** What an operation takes in its body. */
export type Body<Name extends keyof operations> =
  NonNullable<operations[Name]["requestBody"]> extends { content: { "application/json": infer Body } }
    ? Body
    : never;

/** What an operation takes in its query. */
export type Query<Name extends keyof operations> = NonNullable<operations[Name]["parameters"]["query"]>;

/** What an operation answers; null for 204. */
export type Answer<Name extends keyof operations> = AnswerOf<operations[Name]["responses"]>;

type AnswerOf<Responses> = {
  [Status in keyof Responses & Success]: Responses[Status] extends {
    content: { "application/json": infer Answer };
  }
    ? Answer
    : null;
}[keyof Responses & Success];

export type Actor = Schemas["Actor"];
export type AgentRun = Schemas["AgentRun"];
export type AgentRunStatus = Schemas["AgentRunStatus"];
export type ApprovalDecision = Schemas["ApprovalDecision"];
export type ApprovalReceipt = Schemas["ApprovalReceipt"];
export type AskedBy = Schemas["AskedBy"];
export type AutomationRecord = Schemas["AutomationRecord"];
export type AutomationRunRecord = Schemas["AutomationRunRecord"];
export type CoherenceState = Schemas["CoherenceState"];
export type Goal = Schemas["Goal"];
export type ItemKind = Schemas["ItemKind"];
export type ItemStatus = Schemas["ItemStatus"];
export type PendingApproval = Schemas["PendingApproval"];
export type PendingUserInput = Schemas["PendingUserInput"];
export type PermissionPosture = Schemas["PermissionPosture"];
export type SessionMetadata = Schemas["SessionMetadata"];
export type SessionSummary = Schemas["SessionSummary"];
export type SnapshotSummary = Schemas["SnapshotSummary"];
export type TaskRecord = Schemas["TaskRecord"];
export type TaskSummary = Schemas["TaskSummary"];
export type ToolCallRequested = Schemas["ToolCallRequested"];
export type ThreadDetail = Schemas["ThreadDetail"];
export type ThreadRecord = Schemas["ThreadRecord"];
export type ThreadSummary = Schemas["ThreadSummary"];
export type TurnItemRecord = Schemas["TurnItemRecord"];
export type TurnRecord = Schemas["TurnRecord"];
export type TurnStatus = Schemas["TurnStatus"];
export type TurnWithThread = Schemas["TurnWithThread"];
export type UsageReport = Schemas["UsageReport"];
export type UserInputAnswer = Schemas["UserInputAnswer"];
export type UserInputRequest = Schemas["UserInputRequest"];
export type WorkspaceStatus = Schemas["WorkspaceStatus"];
export type WorkspaceTrust = Schemas["WorkspaceTrust"];
