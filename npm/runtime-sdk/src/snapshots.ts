// Restore points of workspaces.

import { Noun } from "./noun.js";
import type { CallOptions, OnceOptions } from "./options.js";
import { path } from "./request.js";
import type { Query } from "./schema.js";

export class Snapshots extends Noun {
  /** Newest first. */
  list(query?: Query<"snapshots/list">, options?: CallOptions) {
    return this.look<"snapshots/list">("/v1/snapshots", query, options);
  }

  /** Brings all files back to one, with a copy of the conversation that belongs to them. */
  restore(snapshotId: string, options?: OnceOptions) {
    return this.once<"snapshots/restore">(path`/v1/snapshots/${snapshotId}/restore`, undefined, options);
  }
}
