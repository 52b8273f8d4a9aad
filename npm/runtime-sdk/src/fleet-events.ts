// Follows a fleet run by its cursors.

import { record } from "./answer.js";
import { RuntimeApiError, RuntimeProtocolError } from "./errors.js";
import { readData, type Followed, type FollowOptions } from "./follow.js";
import type { FleetEvent } from "./fleet-types.js";
import { path, type Request } from "./request.js";
import type { Frame } from "./sse.js";

export interface FleetEventsOptions extends FollowOptions {
  /** Only what is behind this cursor; the newest events when left out. */
  readonly after?: string;
  /** How many events of the history, 1 to 1000. */
  readonly limit?: number;
}

/** What a server says about the stream itself. */
const TRUNCATED = "fleet.replay.truncated";
const CURSOR_UNAVAILABLE = "fleet.replay.cursor_unavailable";
const STREAM_ERROR = "fleet.stream.error";

export class FollowedRun implements Followed<FleetEvent> {
  readonly #runId: string;
  readonly #limit: number | undefined;
  #after: string | undefined;
  /** Whether the cursor came from the server, not from the caller. */
  #isOwn = false;

  constructor(runId: string, options: FleetEventsOptions) {
    this.#runId = runId;
    this.#limit = options.limit;
    this.#after = options.after;
  }

  request(): Request {
    return {
      method: "GET",
      path: path`/v1/fleet/runs/${this.#runId}/events`,
      query: { after: this.#after, limit: this.#limit },
      repeat: "freely",
      capability: "fleet_event_stream",
    };
  }

  take(frame: Frame): { event: FleetEvent } | "nothing" | "again" {
    const event = placed(record(readData(frame)), frame);
    switch (event.event) {
      case STREAM_ERROR:
        if (event["retryable"] === false) throw new RuntimeProtocolError("the server gave up the fleet event stream");
        return "again";
      case CURSOR_UNAVAILABLE:
        this.#startOver();
        return { event };
      case TRUNCATED:
        return { event };
    }
    if (event.cursor !== undefined) {
      if (event.cursor === this.#after) return "nothing";
      this.#after = event.cursor;
      this.#isOwn = true;
    }
    return { event };
  }

  /** Older servers answer with what they have, as an array or as a page. */
  takeWhole(answer: unknown): FleetEvent[] {
    const events = Array.isArray(answer) ? answer : record(answer)["events"];
    if (Array.isArray(events)) return events as FleetEvent[];
    throw new RuntimeProtocolError("the answer holds no fleet events");
  }

  /** A cursor that the server gave and does not know any more: its ledger was compacted. */
  recover(error: unknown): { event: FleetEvent } | undefined {
    if (!this.#isOwn || !(error instanceof RuntimeApiError) || error.status !== 409) return undefined;
    this.#startOver();
    return { event: { event: CURSOR_UNAVAILABLE, run_id: this.#runId, reload_projection: true } };
  }

  #startOver(): void {
    this.#after = undefined;
    this.#isOwn = false;
  }
}

/** The event with the name and the place that may stand beside its data. */
function placed(data: Record<string, unknown>, frame: Frame): FleetEvent & Record<string, unknown> {
  const event = { ...data, event: data["event"] ?? frame.event ?? "message" };
  const cursor = data["cursor"] ?? frame.id;
  return (cursor === undefined ? event : { ...event, cursor }) as FleetEvent & Record<string, unknown>;
}
