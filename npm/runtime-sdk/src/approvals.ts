// Approvals: whether a call may run.

import { Noun } from "./noun.js";
import type { CallOptions } from "./options.js";
import { path } from "./request.js";
import type { Body } from "./schema.js";

/** What can be answered; the longer words are explained in the guide to the Runtime API. */
export type Decision =
  | "allow"
  | "deny"
  | "approved_for_session"
  | "approved_execpolicy_amendment"
  | "network_policy_amendment"
  | "abort";

/** An answer with its reach. */
export interface ApprovalAnswer extends Body<"approvals/decide"> {
  decision: Decision;
}

export class Approvals extends Noun {
  /** Answers. The first answer wins; a later one is refused with the one that was recorded. */
  decide(approvalId: string, answer: Decision | ApprovalAnswer, options?: CallOptions) {
    const body = typeof answer === "string" ? { decision: answer } : answer;
    return this.alone<"approvals/decide">("POST", path`/v1/approvals/${approvalId}`, { body }, options);
  }
}
