// Workspaces: how they stand, and whether what they bring along counts.

import { Noun } from "./noun.js";
import type { CallOptions } from "./options.js";
import type { Body, Query } from "./schema.js";

export class Workspace extends Noun {
  /** How its repository stands. */
  status(query?: Query<"workspaces/status">, options?: CallOptions) {
    return this.look<"workspaces/status">("/v1/workspace/status", query, options);
  }

  /** What it brings along that could act, and whether it is trusted. */
  trust(query?: Query<"workspaces/trust">, options?: CallOptions) {
    return this.look<"workspaces/trust">("/v1/workspace/trust", query, options);
  }

  /** Trusts exactly what the digest stands for, or stops trusting. */
  setTrust(body: Body<"workspaces/set-trust">, options?: CallOptions) {
    return this.same<"workspaces/set-trust">("POST", "/v1/workspace/trust", { body }, options);
  }

  /** The skills that agents have there. */
  skills(query?: Query<"skills/list">, options?: CallOptions) {
    return this.look<"skills/list">("/v1/skills", query, options);
  }
}
