// Threads: made, listed, read, changed, copied, followed.

import type { CallOptions, OnceOptions } from "./options.js";
import { Noun } from "./noun.js";
import { path } from "./request.js";
import type { Body, Query } from "./schema.js";
import type { ThreadEvent } from "./thread-event.js";
import { threadEvents, type ThreadEventsOptions } from "./thread-events.js";

export class Threads extends Noun {
  /** Makes a thread. */
  create(body: Body<"threads/create"> = {}, options?: OnceOptions) {
    return this.once<"threads/create">("/v1/threads", body, options);
  }

  /** The threads, the last changed first. */
  list(query?: Query<"threads/list">, options?: CallOptions) {
    return this.look<"threads/list">("/v1/threads", query, options);
  }

  /** The same as short lines with title, preview and the state of their workspace. */
  summary(query?: Query<"threads/summary">, options?: CallOptions) {
    return this.look<"threads/summary">("/v1/threads/summary", query, options);
  }

  /** A whole thread at one moment; follow it from its `latest_seq`. */
  get(threadId: string, options?: CallOptions) {
    return this.look<"threads/get">(path`/v1/threads/${threadId}`, undefined, options);
  }

  /** Changes settings; an empty title or system prompt clears it. */
  patch(threadId: string, body: Body<"threads/patch">, options?: CallOptions) {
    return this.same<"threads/patch">("PATCH", path`/v1/threads/${threadId}`, { body }, options);
  }

  /** Copies it with its turns and items. */
  fork(threadId: string, options?: OnceOptions) {
    return this.once<"threads/fork">(path`/v1/threads/${threadId}/fork`, undefined, options);
  }

  /** Loads it, so that its next turn starts at once. */
  resume(threadId: string, options?: CallOptions) {
    return this.same<"threads/resume">("POST", path`/v1/threads/${threadId}/resume`, {}, options);
  }

  /** Starts a turn that shortens the conversation to a summary. */
  compact(threadId: string, body: Body<"threads/compact"> = {}, options?: OnceOptions) {
    return this.once<"threads/compact">(path`/v1/threads/${threadId}/compact`, body, options);
  }

  /** A copy that ends before the last turn, whose files are put back; both or neither. */
  undo(threadId: string, body: Body<"threads/undo"> = {}, options?: OnceOptions) {
    return this.once<"threads/undo">(path`/v1/threads/${threadId}/undo`, body, options);
  }

  /** The same as undo, under its other name. */
  patchUndo(threadId: string, body: Body<"threads/patch-undo"> = {}, options?: OnceOptions) {
    return this.once<"threads/patch-undo">(path`/v1/threads/${threadId}/patch-undo`, body, options);
  }

  /** Undoes the last turn and starts one in its place. */
  retry(threadId: string, body: Body<"threads/retry"> = {}, options?: OnceOptions) {
    return this.once<"threads/retry">(path`/v1/threads/${threadId}/retry`, body, options);
  }

  /** What happened behind `sinceSeq`, then what happens: each event once, in order, without gap, also
   * when the connection breaks or the server is started again. Ends when the signal says so. */
  events(threadId: string, options: ThreadEventsOptions = {}): AsyncGenerator<ThreadEvent, void, undefined> {
    return threadEvents(this.transport, threadId, options);
  }
}
