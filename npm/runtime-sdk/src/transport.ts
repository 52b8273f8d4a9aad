// Sends requests, again where that does no harm, and reads what comes back.
//
//   call ──► attempt ──► answer
//    ▲          │ no answer, busy, going down
//    └── wait ◄─┘ under the same key

import { readRefusal, readSuccess } from "./answer.js";
import { RuntimeApiError, RuntimeConnectionError } from "./errors.js";
import { OPEN_MS } from "./limits.js";
import type { CallOptions, OnceOptions, Settings } from "./options.js";
import { checkKey, newKey, queryText, type Repeat, type Request } from "./request.js";
import { delayMs, Leash, pause } from "./wait.js";

/** An answer whose body is still to be read. Closing the leash ends it. */
export interface OpenAnswer {
  readonly response: Response;
  readonly leash: Leash;
}

export class Transport {
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  get attempts(): number {
    return this.#settings.attempts;
  }

  /** The answer; null for 204. */
  async call(request: Request, options: OnceOptions = {}): Promise<unknown> {
    const key = request.repeat === "keyed" ? checkKey(options.idempotencyKey ?? newKey()) : undefined;
    for (let failures = 1; ; failures += 1) {
      try {
        return await this.#attempt(request, key, options);
      } catch (error) {
        if (failures >= this.#settings.attempts || !mayRepeat(request.repeat, error)) throw error;
        await pause(delayMs(failures), options.signal);
      }
    }
  }

  /** A success whose body is a stream. Tried once: whoever reads streams knows when to try again. */
  async open(request: Request, signal: AbortSignal | undefined): Promise<OpenAnswer> {
    const leash = new Leash(signal);
    try {
      leash.within(OPEN_MS);
      const response = await this.#send(request, undefined, leash);
      if (!response.ok) throw await this.#refusal(request, response, leash);
      leash.untimed();
      return { response, leash };
    } catch (error) {
      leash.close();
      throw error;
    }
  }

  async #attempt(request: Request, key: string | undefined, options: CallOptions): Promise<unknown> {
    const leash = new Leash(options.signal);
    try {
      leash.within(options.timeoutMs ?? this.#settings.timeoutMs);
      const response = await this.#send(request, key, leash);
      if (!response.ok) throw await this.#refusal(request, response, leash);
      return readSuccess(response.status, await this.#text(response, leash));
    } finally {
      leash.release();
    }
  }

  async #send(request: Request, key: string | undefined, leash: Leash): Promise<Response> {
    const { base, fetch } = this.#settings;
    try {
      return await fetch(base + request.path + queryText(request.query), {
        method: request.method,
        headers: this.#headers(request, key),
        body: request.body === undefined ? null : JSON.stringify(request.body),
        signal: leash.signal,
        cache: "no-store",
        // A server of ours never sends anyone elsewhere, least of all a token.
        redirect: "error",
      });
    } catch (cause) {
      throw this.#noAnswer(cause, leash);
    }
  }

  #headers(request: Request, key: string | undefined): Record<string, string> {
    const headers: Record<string, string> = { Accept: "application/json, text/event-stream" };
    if (this.#settings.token !== undefined) headers["Authorization"] = `Bearer ${this.#settings.token}`;
    if (request.body !== undefined) headers["Content-Type"] = "application/json";
    if (key !== undefined) headers["Idempotency-Key"] = key;
    return headers;
  }

  async #text(response: Response, leash: Leash): Promise<string> {
    try {
      return await response.text();
    } catch (cause) {
      throw this.#noAnswer(cause, leash);
    }
  }

  async #refusal(request: Request, response: Response, leash: Leash): Promise<RuntimeApiError> {
    const text = await this.#text(response, leash);
    return readRefusal(response.status, text, request.capability, (words) => this.#masked(words));
  }

  /** Why there is no answer: the caller's own reason, if it has one. */
  #noAnswer(cause: unknown, leash: Leash): unknown {
    const { base } = this.#settings;
    if (leash.isLate) return new RuntimeConnectionError(`no answer from ${base} in time`);
    if (leash.signal.aborted) return leash.signal.reason;
    const code = systemCode(cause);
    const why = code === undefined ? "" : ` (${code})`;
    return new RuntimeConnectionError(
      `no answer from ${base}${why}; is it running? Start it with: codewhale app-server --http`,
      { cause, unsent: code !== undefined && UNSENT.has(code) },
    );
  }

  #masked(text: string): string {
    const { token } = this.#settings;
    return token === undefined ? text : text.replaceAll(token, "***");
  }
}

/** The failures that come before anything is sent. */
const UNSENT: ReadonlySet<string> = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN"]);

/** What the system calls a failure, where it tells: Node does, browsers do not. */
function systemCode(cause: unknown): string | undefined {
  const inner = cause instanceof Error ? cause.cause : undefined;
  const code = inner instanceof Error ? (inner as { code?: unknown }).code : undefined;
  return typeof code === "string" ? code : undefined;
}

/** Whether sending it again does no harm and may help. */
function mayRepeat(repeat: Repeat, error: unknown): boolean {
  if (error instanceof RuntimeConnectionError) return repeat !== "never" || error.unsent;
  return error instanceof RuntimeApiError && (error.status === 429 || (repeat !== "never" && isPassing(error)));
}

/** Whether a failure may be over in a moment. */
export function isPassing(error: unknown): boolean {
  if (error instanceof RuntimeConnectionError) return true;
  return error instanceof RuntimeApiError && PASSING.has(error.status);
}

/** Too busy, behind a gateway, going down. */
const PASSING: ReadonlySet<number> = new Set([429, 502, 503, 504]);
