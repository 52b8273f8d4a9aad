// Follows a thread without gap or repeat.

import { record } from "./answer.js";
import { RuntimeProtocolError } from "./errors.js";
import { follow, readData, type Followed, type FollowOptions } from "./follow.js";
import { GAPS_MAX } from "./limits.js";
import { path, type Request } from "./request.js";
import type { Frame } from "./sse.js";
import type { ThreadEvent } from "./thread-event.js";
import type { Transport } from "./transport.js";

export interface ThreadEventsOptions extends FollowOptions {
  /** Only what is behind this event; from the beginning when left out. */
  readonly sinceSeq?: number;
  /** Of what is there already, only the newest so many (at most 4096). */
  readonly replayLimit?: number;
}

export async function* threadEvents(
  transport: Transport,
  threadId: string,
  options: ThreadEventsOptions,
): AsyncGenerator<ThreadEvent, void, undefined> {
  // Without a first event there would be nothing to come back to after a break.
  const place = options.replayLimit === 0 ? { sinceSeq: await latestSeq(transport, threadId, options) } : options;
  yield* follow(transport, new FollowedThread(threadId, place), options);
}

async function latestSeq(transport: Transport, threadId: string, options: ThreadEventsOptions): Promise<number> {
  const request: Request = { method: "GET", path: path`/v1/threads/${threadId}`, repeat: "freely" };
  const detail = record(await transport.call(request, { signal: options.signal }));
  return Math.max(Number(detail["latest_seq"]), options.sinceSeq ?? 0);
}

class FollowedThread implements Followed<ThreadEvent> {
  readonly #path: string;
  /** How much of the history is wanted; counts until the first event. */
  #replayLimit: number | undefined;
  /** The last event that was handed on, or what the caller named in its place. */
  #cursor: number;
  /** Whether the cursor is an event of this thread for sure. */
  #isPlaced = false;
  #gaps = 0;

  constructor(threadId: string, options: Pick<ThreadEventsOptions, "sinceSeq" | "replayLimit">) {
    this.#path = path`/v1/threads/${threadId}/events`;
    this.#replayLimit = options.replayLimit;
    this.#cursor = options.sinceSeq ?? 0;
  }

  request(): Request {
    const query = { since_seq: this.#cursor, replay_limit: this.#replayLimit };
    return { method: "GET", path: this.#path, query, repeat: "freely" };
  }

  take(frame: Frame): { event: ThreadEvent } | "nothing" | "again" {
    const event = readEvent(frame);
    if (event === undefined || event.seq <= this.#cursor) return "nothing";
    if (this.#isGap(event.previous_seq)) return this.#again(event);
    this.#cursor = event.seq;
    this.#isPlaced = true;
    this.#replayLimit = undefined;
    this.#gaps = 0;
    return { event };
  }

  /** A cursor that the caller named may stand between two events; one of ours is an event. */
  #isGap(previous: number | undefined): boolean {
    if (previous === undefined || (this.#replayLimit !== undefined && !this.#isPlaced)) return false;
    return this.#isPlaced ? previous !== this.#cursor : previous > this.#cursor;
  }

  #again(event: ThreadEvent): "again" {
    this.#gaps += 1;
    if (this.#gaps < GAPS_MAX) return "again";
    throw new RuntimeProtocolError(
      `events are missing between ${this.#cursor} and ${event.seq}; read the thread and follow it from its latest_seq`,
    );
  }
}

/** Frames without a place are no events. */
function readEvent(frame: Frame): ThreadEvent | undefined {
  const event = record(readData(frame));
  return typeof event["seq"] === "number" ? (event as unknown as ThreadEvent) : undefined;
}
