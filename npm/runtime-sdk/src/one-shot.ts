// One prompt, one stream: a turn on a thread of its own, which ends with it.

import { frames, readData } from "./follow.js";
import { SILENCE_MS } from "./limits.js";
import type { Body } from "./schema.js";
import type { Transport } from "./transport.js";

/** An event of the stream, with its bare payload. */
export interface StreamEvent {
  readonly event: string;
  readonly payload: unknown;
}

/** Cannot be taken up again: what breaks, breaks. */
export async function* oneShot(
  transport: Transport,
  body: Body<"stream">,
  options: { readonly signal?: AbortSignal | undefined; readonly silenceMs?: number },
): AsyncGenerator<StreamEvent, void, undefined> {
  const answer = await transport.open({ method: "POST", path: "/v1/stream", body, repeat: "never" }, options.signal);
  for await (const frame of frames(answer, options.silenceMs ?? SILENCE_MS)) {
    yield { event: frame.event ?? "message", payload: readData(frame) };
  }
}
