// Sessions: threads as recordings, under the same ids.

import { Noun } from "./noun.js";
import type { CallOptions } from "./options.js";
import { path } from "./request.js";
import type { Body, Query } from "./schema.js";

export class Sessions extends Noun {
  list(query?: Query<"sessions/list">, options?: CallOptions) {
    return this.look<"sessions/list">("/v1/sessions", query, options);
  }

  /** The same as short lines. */
  summary(query?: Query<"sessions/summary">, options?: CallOptions) {
    return this.look<"sessions/summary">("/v1/sessions/summary", query, options);
  }

  /** All of it, or with `peek` its last entries. */
  get(sessionId: string, query?: Query<"sessions/get">, options?: CallOptions) {
    return this.look<"sessions/get">(path`/v1/sessions/${sessionId}`, query, options);
  }

  /** Renames it, puts it away or brings it back. */
  patch(sessionId: string, body: Body<"sessions/patch">, options?: CallOptions) {
    return this.same<"sessions/patch">("PATCH", path`/v1/sessions/${sessionId}`, { body }, options);
  }

  /** Takes session and thread out of sight for good. */
  delete(sessionId: string, options?: CallOptions) {
    return this.alone<"sessions/delete">("DELETE", path`/v1/sessions/${sessionId}`, {}, options);
  }

  /** Tells under which id a thread is kept, and gives it a title. */
  save(body: Body<"sessions/save">, options?: CallOptions) {
    return this.same<"sessions/save">("POST", "/v1/sessions", { body }, options);
  }

  /** A whole session: the one named, or the last changed. */
  export(body: Body<"sessions/export"> = {}, options?: CallOptions) {
    return this.same<"sessions/export">("PUT", "/v1/sessions", { body }, options);
  }

  /** The thread to go on in. */
  resumeThread(sessionId: string, body: Body<"sessions/resume-thread"> = {}, options?: CallOptions) {
    const route = path`/v1/sessions/${sessionId}/resume-thread`;
    return this.same<"sessions/resume-thread">("POST", route, { body }, options);
  }
}
