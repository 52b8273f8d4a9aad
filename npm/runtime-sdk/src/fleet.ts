// Fleets: independent tasks, done by workers.
//
// Four routes came later than the others. On a server without them the methods throw a
// `RuntimeCapabilityError` that names what it lacks.

import type { Capability } from "./errors.js";
import { FollowedRun, type FleetEventsOptions } from "./fleet-events.js";
import type {
  FleetEvent,
  FleetEventPage,
  FleetEvidence,
  FleetReceipt,
  FleetReceipts,
  FleetRunCreated,
  FleetRunDetail,
  FleetRuns,
  FleetRunSpec,
  FleetRunStarted,
  FleetRunStopped,
  FleetWorker,
  FleetWorkerAction,
  FleetWorkers,
} from "./fleet-types.js";
import { follow } from "./follow.js";
import type { CallOptions, OnceOptions } from "./options.js";
import { path, type Repeat } from "./request.js";
import type { Transport } from "./transport.js";

export class Fleet {
  protected readonly transport: Transport;

  constructor(transport: Transport) {
    this.transport = transport;
  }

  listFleetRuns(options?: CallOptions): Promise<FleetRuns> {
    return this.#get("/v1/fleet/runs", options);
  }

  getFleetRun(runId: string, options?: CallOptions): Promise<FleetRunDetail> {
    return this.#get(path`/v1/fleet/runs/${runId}`, options);
  }

  /** Makes a run. Nothing runs until it is started. */
  createFleetRun(spec: FleetRunSpec, options?: OnceOptions): Promise<FleetRunCreated> {
    return this.#post("/v1/fleet/runs", "keyed", options, { body: spec, capability: "fleet_run_create" });
  }

  startFleetRun(runId: string, options?: OnceOptions): Promise<FleetRunStarted> {
    return this.#post(path`/v1/fleet/runs/${runId}/start`, "keyed", options, { capability: "fleet_run_start" });
  }

  /** Cancels every task that waits or runs. */
  stopFleetRun(runId: string, options?: CallOptions): Promise<FleetRunStopped> {
    return this.#post(path`/v1/fleet/runs/${runId}/stop`, "never", options);
  }

  listFleetWorkers(runId: string, options?: CallOptions): Promise<FleetWorkers> {
    return this.#get(path`/v1/fleet/runs/${runId}/workers`, options);
  }

  getFleetWorker(workerId: string, options?: CallOptions): Promise<FleetWorker> {
    return this.#get(path`/v1/fleet/workers/${workerId}`, options);
  }

  /** Stops what a worker does now; the others go on. */
  interruptWorker(workerId: string, options?: CallOptions): Promise<FleetWorkerAction> {
    return this.#post(path`/v1/fleet/workers/${workerId}/interrupt`, "never", options);
  }

  /** The same transition as interrupt, under its other name. */
  stopWorker(workerId: string, options?: CallOptions): Promise<FleetWorkerAction> {
    return this.#post(path`/v1/fleet/workers/${workerId}/stop`, "never", options);
  }

  /** Has a worker do its latest task again. */
  restartWorker(workerId: string, options?: OnceOptions): Promise<FleetWorkerAction> {
    return this.#post(path`/v1/fleet/workers/${workerId}/restart`, "keyed", options);
  }

  /** One page of what happened: behind `after`, or the newest. */
  replayFleetEvents(
    runId: string,
    query?: { after?: string; limit?: number },
    options?: CallOptions,
  ): Promise<FleetEventPage> {
    return this.#get(path`/v1/fleet/runs/${runId}/events/replay`, options, query, "fleet_event_replay");
  }

  /** What happened behind `after`, then what happens, also when the connection breaks. An event
   * `fleet.replay.cursor_unavailable` means: read the run again, older events follow anew. */
  fleetEvents(runId: string, options: FleetEventsOptions = {}): AsyncGenerator<FleetEvent, void, undefined> {
    return follow(this.transport, new FollowedRun(runId, options), options);
  }

  listFleetReceipts(runId: string, options?: CallOptions): Promise<FleetReceipts> {
    return this.#get(path`/v1/fleet/runs/${runId}/receipts`, options);
  }

  getFleetReceipt(runId: string, taskId: string, options?: CallOptions): Promise<FleetReceipt> {
    return this.#get(path`/v1/fleet/runs/${runId}/receipts/${taskId}`, options);
  }

  /** The beginning of what a receipt is based on. */
  getFleetEvidence(runId: string, taskId: string, options?: CallOptions): Promise<FleetEvidence> {
    return this.#get(path`/v1/fleet/runs/${runId}/receipts/${taskId}/evidence`, options);
  }

  #get<T>(path: string, options?: CallOptions, query?: object, capability?: Capability): Promise<T> {
    const lacking = capability === undefined ? {} : { capability };
    return this.transport.call({ method: "GET", path, query, repeat: "freely", ...lacking }, options) as Promise<T>;
  }

  #post<T>(
    path: string,
    repeat: Repeat,
    options: OnceOptions | undefined,
    more: { body?: unknown; capability?: Capability } = {},
  ): Promise<T> {
    return this.transport.call({ method: "POST", path, repeat, ...more }, options) as Promise<T>;
  }
}
