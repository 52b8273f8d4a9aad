// Turns: started, read, added to, stopped.

import { Noun } from "./noun.js";
import type { CallOptions, OnceOptions } from "./options.js";
import { path } from "./request.js";
import type { Body } from "./schema.js";

export class Turns extends Noun {
  /** Starts a turn. The answer comes once it is stored; the work goes on behind it. */
  start(threadId: string, body: Body<"turns/start">, options?: OnceOptions) {
    return this.once<"turns/start">(path`/v1/threads/${threadId}/turns`, body, options);
  }

  /** Reads a turn with its items and what it waits for, at one moment of the log. */
  get(turnId: string, options?: CallOptions) {
    return this.look<"turns/get">(path`/v1/turns/${turnId}`, undefined, options);
  }

  /** Adds to a running turn. */
  steer(threadId: string, turnId: string, body: Body<"turns/steer">, options?: OnceOptions) {
    return this.once<"turns/steer">(path`/v1/threads/${threadId}/turns/${turnId}/steer`, body, options);
  }

  /** Stops a running turn. Its end arrives as an event. */
  interrupt(threadId: string, turnId: string, options?: CallOptions) {
    const route = path`/v1/threads/${threadId}/turns/${turnId}/interrupt`;
    return this.same<"turns/interrupt">("POST", route, {}, options);
  }

  /** Stops one call of a running turn. The turn goes on: its agent reads that a person stopped the call. */
  stopCall(threadId: string, itemId: string, options?: CallOptions) {
    const route = path`/v1/threads/${threadId}/items/${itemId}/stop`;
    return this.same<"calls/stop">("POST", route, {}, options);
  }

  /** Answers a call of one of the `dynamic_tools` of the turn. The first answer counts. */
  toolResult(
    threadId: string,
    turnId: string,
    callId: string,
    body: Body<"tool-calls/result">,
    options?: CallOptions,
  ) {
    const route = path`/v1/threads/${threadId}/turns/${turnId}/tool-calls/${callId}/result`;
    return this.alone<"tool-calls/result">("POST", route, { body }, options);
  }
}
