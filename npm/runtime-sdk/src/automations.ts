// Automations: work that begins by the clock.

import { Noun } from "./noun.js";
import type { CallOptions, OnceOptions } from "./options.js";
import { path } from "./request.js";
import type { Body, Query } from "./schema.js";

export class Automations extends Noun {
  /** The automations, the last changed first. */
  list(options?: CallOptions) {
    return this.look<"automations/list">("/v1/automations", undefined, options);
  }

  /** Makes one. */
  create(body: Body<"automations/create">, options?: OnceOptions) {
    return this.once<"automations/create">("/v1/automations", body, options);
  }

  get(automationId: string, options?: CallOptions) {
    return this.look<"automations/get">(path`/v1/automations/${automationId}`, undefined, options);
  }

  /** Changes it. Another schedule or status counts from now on. */
  patch(automationId: string, body: Body<"automations/patch">, options?: CallOptions) {
    return this.same<"automations/patch">("PATCH", path`/v1/automations/${automationId}`, { body }, options);
  }

  /** Takes it away, with its runs. */
  delete(automationId: string, options?: CallOptions) {
    return this.alone<"automations/delete">("DELETE", path`/v1/automations/${automationId}`, {}, options);
  }

  /** Begins a run now. The schedule stays as it is. */
  run(automationId: string, options?: OnceOptions) {
    return this.once<"automations/run">(path`/v1/automations/${automationId}/run`, undefined, options);
  }

  pause(automationId: string, options?: CallOptions) {
    return this.same<"automations/pause">("POST", path`/v1/automations/${automationId}/pause`, {}, options);
  }

  /** Lets the clock count again. */
  resume(automationId: string, options?: CallOptions) {
    return this.same<"automations/resume">("POST", path`/v1/automations/${automationId}/resume`, {}, options);
  }

  /** Its runs, newest first. */
  runs(automationId: string, query?: Query<"automations/runs">, options?: CallOptions) {
    return this.look<"automations/runs">(path`/v1/automations/${automationId}/runs`, query, options);
  }
}
