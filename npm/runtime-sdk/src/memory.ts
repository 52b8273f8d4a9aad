// Notes that agents keep for later threads.

import { Noun } from "./noun.js";
import type { CallOptions } from "./options.js";
import { path } from "./request.js";
import type { Body, Query } from "./schema.js";

export class Memory extends Noun {
  list(query?: Query<"memory/list">, options?: CallOptions) {
    return this.look<"memory/list">("/v1/memory", query, options);
  }

  get(memoryId: string, options?: CallOptions) {
    return this.look<"memory/get">(path`/v1/memory/${memoryId}`, undefined, options);
  }

  /** Keeps one; a note that says so already is not kept twice. */
  add(body: Body<"memory/add">, options?: CallOptions) {
    return this.same<"memory/add">("POST", "/v1/memory", { body }, options);
  }

  /** Forgets all that hold somewhere. */
  clear(query: Query<"memory/clear">, options?: CallOptions) {
    return this.alone<"memory/clear">("DELETE", "/v1/memory", { query }, options);
  }
}
