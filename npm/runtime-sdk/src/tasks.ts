// Background tasks: prompts in a queue.

import { Noun } from "./noun.js";
import type { CallOptions, OnceOptions } from "./options.js";
import { path } from "./request.js";
import type { Body, Query } from "./schema.js";

export class Tasks extends Noun {
  /** The tasks, newest first, and how many of each kind. */
  list(query?: Query<"tasks/list">, options?: CallOptions) {
    return this.look<"tasks/list">("/v1/tasks", query, options);
  }

  /** Puts a prompt into the queue. */
  create(body: Body<"tasks/create">, options?: OnceOptions) {
    return this.once<"tasks/create">("/v1/tasks", body, options);
  }

  /** A task with what its thread tells; the start of an id is enough if it names one. */
  get(taskId: string, options?: CallOptions) {
    return this.look<"tasks/get">(path`/v1/tasks/${taskId}`, undefined, options);
  }

  /** Calls it off. One that runs is told to stop. */
  cancel(taskId: string, options?: CallOptions) {
    return this.same<"tasks/cancel">("POST", path`/v1/tasks/${taskId}/cancel`, {}, options);
  }
}
