// An event stream, mended where it breaks.
//
//   open ──► read ──► events, each once, in order
//    ▲         │ broken, silent, ended, something missing
//    └── wait ◄┘ asks for what is behind the last event that was handed on
//
// Nothing is read before somebody asks for the next event: a slow reader slows the server, not memory.

import { RuntimeConnectionError, RuntimeError, RuntimeProtocolError } from "./errors.js";
import { RECONNECTS_MAX, SILENCE_MS, STABLE_MS } from "./limits.js";
import type { Request } from "./request.js";
import { FrameDecoder, type Frame } from "./sse.js";
import { isPassing, type OpenAnswer, type Transport } from "./transport.js";
import { delayMs, pause } from "./wait.js";

/** What everything that is followed takes. */
export interface FollowOptions {
  /** Ends it: the loop is left without an error. */
  readonly signal?: AbortSignal | undefined;
  /** How long the server may be silent, in milliseconds, before it counts as gone. */
  readonly silenceMs?: number;
  /** How many attempts in a row to reach it again, before the last failure is thrown. */
  readonly reconnects?: number;
  /** Is told of each break, before the stream is mended. */
  readonly onBreak?: (error: RuntimeError) => void;
}

/** What is followed: it knows where it stands and what a frame means. */
export interface Followed<Event> {
  /** Asks for what is behind the last event. */
  request(): Request;
  /** What came of a frame: an event, nothing, or that the stream has to be opened again. */
  take(frame: Frame): { event: Event } | "nothing" | "again";
  /** An answer that is no event stream, if that can be understood. */
  takeWhole?(answer: unknown): Event[];
  /** Whether it can go on from another place after this refusal. */
  recover?(error: unknown): { event: Event } | undefined;
}

export async function* follow<Event>(
  transport: Transport,
  followed: Followed<Event>,
  options: FollowOptions,
): AsyncGenerator<Event, void, undefined> {
  const { signal } = options;
  let wasOpen = false;
  let failures = 0;
  while (!signal?.aborted) {
    let broken: RuntimeError = new RuntimeConnectionError("the server ended the event stream");
    let answer: OpenAnswer | undefined;
    const openedAt = performance.now();
    try {
      answer = await transport.open(followed.request(), signal);
      wasOpen = true;
      if (!isEventStream(answer.response)) {
        yield* await whole(answer.response, followed);
        return;
      }
      for await (const frame of frames(answer, options.silenceMs ?? SILENCE_MS)) {
        const taken = followed.take(frame);
        if (taken === "nothing") continue;
        if (taken === "again") break;
        failures = 0;
        yield taken.event;
        if (signal?.aborted) return;
      }
    } catch (error) {
      if (signal?.aborted) return;
      const recovered = followed.recover?.(error);
      if (recovered !== undefined) yield recovered.event;
      else if (!isPassing(error)) throw error;
      broken = error as RuntimeError;
    } finally {
      answer?.leash.close();
    }
    if (performance.now() - openedAt >= STABLE_MS) failures = 0;
    failures += 1;
    // Whoever was never there is not waited for as long as one that will be back.
    const failuresMax = wasOpen ? (options.reconnects ?? RECONNECTS_MAX) : transport.attempts - 1;
    if (failures > failuresMax) throw broken;
    options.onBreak?.(broken);
    if (!(await waited(delayMs(failures), signal))) return;
  }
}

/** Whether the wait was not cut short. */
async function waited(ms: number, signal: AbortSignal | undefined): Promise<boolean> {
  try {
    await pause(ms, signal);
    return true;
  } catch {
    return false;
  }
}

/** The frames of an answer, until it ends. */
export async function* frames(answer: OpenAnswer, silenceMs: number): AsyncGenerator<Frame, void, undefined> {
  const { response, leash } = answer;
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  const decoder = new FrameDecoder();
  try {
    for (;;) {
      leash.within(silenceMs);
      const { done, value } = await reader.read();
      // While the reader works on what has come, nobody waits for the server.
      leash.untimed();
      if (done) return;
      yield* decoder.push(value);
    }
  } catch (cause) {
    if (cause instanceof RuntimeError) throw cause;
    if (leash.isLate) throw new RuntimeConnectionError(`the server was silent for ${silenceMs} ms`);
    if (leash.signal.aborted) throw leash.signal.reason;
    throw new RuntimeConnectionError("the event stream broke off", { cause });
  } finally {
    leash.close();
  }
}

function isEventStream(response: Response): boolean {
  const essence = response.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  return essence === "text/event-stream";
}

async function whole<Event>(response: Response, followed: Followed<Event>): Promise<Event[]> {
  const events = followed.takeWhole?.(await response.json().catch(() => undefined));
  if (events !== undefined) return events;
  throw new RuntimeProtocolError("the answer is no event stream; does baseUrl lead to a CodeWhale server?");
}

/** The data of a frame as JSON. */
export function readData(frame: Frame): unknown {
  try {
    return JSON.parse(frame.data);
  } catch (cause) {
    throw new RuntimeProtocolError("an event is no JSON", { cause });
  }
}
