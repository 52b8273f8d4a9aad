// Tools without a model: listed, and called on a thread.

import { Noun } from "./noun.js";
import type { CallOptions, OnceOptions } from "./options.js";
import { path } from "./request.js";
import type { Body } from "./schema.js";

export class Tools extends Noun {
  /** The tools that threads have in any case. */
  list(options?: CallOptions) {
    return this.look<"tools/list">("/v1/tools", undefined, options);
  }

  /** Starts a turn that runs one call and asks no model. Its result is in the item of the call. */
  call(threadId: string, body: Body<"tools/call">, options?: OnceOptions) {
    return this.once<"tools/call">(path`/v1/threads/${threadId}/tool-calls`, body, options);
  }
}
