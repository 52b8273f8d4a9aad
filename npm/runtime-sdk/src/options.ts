// What callers can choose: once for a client, and for each call.

import { ATTEMPTS_MAX, CALL_MS } from "./limits.js";

/** How to reach a server. */
export interface RuntimeClientOptions {
  /** Where it listens; `http://127.0.0.1:7878` when left out. */
  readonly baseUrl?: string | URL;
  /** The token that it wants; it is sent as a header and stands nowhere else. */
  readonly token?: string | undefined;
  /** What sends requests; the global `fetch` when left out. */
  readonly fetch?: typeof fetch;
  /** How long an answer may take, in milliseconds. */
  readonly timeoutMs?: number;
  /** How often a request is sent that can be sent again without harm; 1 means never again. */
  readonly attempts?: number;
}

/** What each call takes. */
export interface CallOptions {
  /** Ends the call; it rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /** Another time limit than the client's, in milliseconds. */
  readonly timeoutMs?: number;
}

/** What a call takes that makes or starts something. */
export interface OnceOptions extends CallOptions {
  /** Names the request, so that it is done once however often it is sent. Left out, each call has a
   * key of its own, which covers its own repetitions; give one to cover a restart of your program. */
  readonly idempotencyKey?: string;
}

/** The options of a client, read. */
export interface Settings {
  /** Without a slash at its end. */
  readonly base: string;
  readonly token: string | undefined;
  readonly fetch: typeof fetch;
  readonly timeoutMs: number;
  readonly attempts: number;
}

export function readOptions(options: RuntimeClientOptions): Settings {
  return {
    base: readBase(options.baseUrl ?? "http://127.0.0.1:7878"),
    token: readToken(options.token),
    // Browsers want to be called on their window.
    fetch: options.fetch ?? globalThis.fetch.bind(globalThis),
    timeoutMs: options.timeoutMs ?? CALL_MS,
    attempts: Math.max(1, options.attempts ?? ATTEMPTS_MAX),
  };
}

/** The messages do not repeat the address: it may hold a password or a token. */
function readBase(text: string | URL): string {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new TypeError("baseUrl is no address; write it like http://127.0.0.1:7878");
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new TypeError("baseUrl must begin with http:// or https://");
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new TypeError("baseUrl must be a bare address; give the token as `token`");
  }
  return url.origin + url.pathname.replace(/\/+$/, "");
}

/** A token that is no header would be shown in the error of whoever sends it. */
function readToken(token: string | undefined): string | undefined {
  if (token === undefined || token === "") return undefined;
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new TypeError("token must consist of visible ASCII characters; is there a line end in it?");
  }
  return token;
}
