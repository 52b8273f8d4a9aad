// What the compiler must know. Nothing here is run: it holds when it compiles, and a line that is marked
// as an error fails the build if it is none.

import {
  createRuntimeClient,
  RuntimeCapabilityError,
  type Capability,
  type ThreadEvent,
  type ThreadRecord,
  type TurnStatus,
} from "@codewhale/runtime-sdk";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const holds = <_ extends true>() => {};

const client = createRuntimeClient();

/** Never called. */
export async function answers(): Promise<void> {
  const thread = await client.threads.create();
  holds<Same<typeof thread, ThreadRecord>>();
  const gone = await client.sessions.delete("thr_1");
  holds<Same<typeof gone, null>>();
  const { status } = await client.runTurn("thr_1", "hello").finished();
  holds<Same<typeof status, TurnStatus>>();
  const { runs } = await client.listFleetRuns();
  const { workers } = await client.listFleetWorkers(runs[0]!.id);
  await client.restartWorker(workers[0]!.worker_id);
}

/** Never called. */
export async function requests(): Promise<void> {
  await client.threads.create({ title: null, workspace: "/tmp" });
  // @ts-expect-error a prompt is needed
  await client.turns.start("thr_1", {});
  // @ts-expect-error no such decision
  await client.approvals.decide("appr_1", "perhaps");
  // @ts-expect-error no such grouping
  await client.usage({ group_by: "colour" });
  // @ts-expect-error what only looks takes no key
  await client.threads.list({}, { idempotencyKey: "x" });
  // @ts-expect-error a target is needed
  await client.createFleetRun({ roles: [], workflow: { id: "w", kind: "parallel", tasks: [] } });
}

export function narrowed(event: ThreadEvent): string {
  if (event.event === "item.delta") return event.payload.delta;
  if (event.event === "turn.completed") holds<Same<typeof event.payload.turn.status, TurnStatus>>();
  // @ts-expect-error not every event has a delta
  return event.payload.delta as string;
}

export function capability(error: unknown): Capability | undefined {
  return error instanceof RuntimeCapabilityError ? error.capability : undefined;
}
