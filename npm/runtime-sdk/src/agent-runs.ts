// Receipts of sub-agents.

import { Noun } from "./noun.js";
import type { CallOptions } from "./options.js";
import { path } from "./request.js";
import type { Query } from "./schema.js";

export class AgentRuns extends Noun {
  /** The last changed first. */
  list(query?: Query<"agent-runs/list">, options?: CallOptions) {
    return this.look<"agent-runs/list">("/v1/agent-runs", query, options);
  }

  /** By the run or by the agent itself. */
  get(runId: string, options?: CallOptions) {
    return this.look<"agent-runs/get">(path`/v1/agent-runs/${runId}`, undefined, options);
  }
}
