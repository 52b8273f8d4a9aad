// What a thread works towards.

import { Noun } from "./noun.js";
import type { CallOptions } from "./options.js";
import { path } from "./request.js";
import type { Body } from "./schema.js";

export class Goals extends Noun {
  get(threadId: string, options?: CallOptions) {
    return this.look<"goals/get">(path`/v1/threads/${threadId}/goal`, undefined, options);
  }

  /** Gives a thread a goal, in place of the one it has. */
  set(threadId: string, body: Body<"goals/set">, options?: CallOptions) {
    return this.alone<"goals/set">("PUT", path`/v1/threads/${threadId}/goal`, { body }, options);
  }

  clear(threadId: string, options?: CallOptions) {
    return this.alone<"goals/clear">("DELETE", path`/v1/threads/${threadId}/goal`, {}, options);
  }

  /** Calls it reached. */
  complete(threadId: string, options?: CallOptions) {
    return this.same<"goals/complete">("POST", path`/v1/threads/${threadId}/goal/complete`, {}, options);
  }

  /** Calls it blocked: its agent does not go on by itself. */
  block(threadId: string, options?: CallOptions) {
    return this.same<"goals/block">("POST", path`/v1/threads/${threadId}/goal/block`, {}, options);
  }
}
