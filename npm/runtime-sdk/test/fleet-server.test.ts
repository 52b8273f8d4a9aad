// Fleets of the real program.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { RuntimeApiError, RuntimeCapabilityError, type FleetEvent, type FleetRunSpec } from "@codewhale/runtime-sdk";
import { says, saysAndWaits } from "./support/model.js";
import { Scene } from "./support/program.js";

const scene = await Scene.open();
after(() => scene.close());

const client = scene.client();

const SPEC: FleetRunSpec = {
  target: "this_computer",
  roles: [{ name: "greeter" }],
  workflow: {
    id: "greet",
    kind: "parallel",
    tasks: [{ id: "one", name: "One", instructions: "say hello", worker: { role: "greeter" } }],
  },
};

/** Whether the event ends its run. */
function isEnd(event: FleetEvent): boolean {
  const status = event.event === "fleet.run.status_changed" ? event.payload?.["status"] : undefined;
  return status === "completed" || status === "failed" || status === "cancelled";
}

test("a run that is not there is not found, and no lack of the server", async () => {
  for (const use of [
    () => client.startFleetRun("run_none"),
    () => client.replayFleetEvents("run_none"),
    () => client.fleetEvents("run_none").next(),
  ]) {
    await assert.rejects(use, (thrown) => {
      assert.ok(thrown instanceof RuntimeApiError && !(thrown instanceof RuntimeCapabilityError));
      assert.equal(thrown.status, 404);
      return true;
    });
  }
  // Workers elsewhere are a capability too, which no server has yet.
  const elsewhere = client.createFleetRun({ ...SPEC, target: "cloud" });
  await assert.rejects(elsewhere, { name: "RuntimeCapabilityError", capability: "fleet_run_create" });
});

test("a run is made once, started, followed to its end and looked at", async () => {
  const key = { idempotencyKey: "run-1" };
  const { run, execution } = await client.createFleetRun(SPEC, key);
  assert.equal(execution, "awaiting_start");
  assert.equal((await client.createFleetRun(SPEC, key)).run.id, run.id);
  scene.model.script(says("Hello."));
  const { worker_ids } = await client.startFleetRun(run.id);
  const names: string[] = [];
  for await (const event of client.fleetEvents(run.id)) {
    names.push(event.event);
    if (isEnd(event)) break;
  }
  assert.equal(names[0], "fleet.run.created");
  assert.ok(names.includes("fleet.worker.completed"));
  assert.equal((await client.getFleetRun(run.id)).lifecycle_status, "completed");
  assert.ok((await client.listFleetRuns()).runs.some(({ id }) => id === run.id));
  const { workers } = await client.listFleetWorkers(run.id);
  assert.deepEqual(workers.map(({ worker_id }) => worker_id), worker_ids);
  const [workerId = ""] = worker_ids;
  assert.equal((await client.getFleetWorker(workerId)).task_id, "one");
  const { receipts } = await client.listFleetReceipts(run.id);
  assert.deepEqual(receipts[0], await client.getFleetReceipt(run.id, "one"));
  assert.equal(receipts[0]?.result, "pass");
  assert.equal((await client.getFleetEvidence(run.id, "one")).task_id, "one");
  const page = await client.replayFleetEvents(run.id, { limit: 2 });
  assert.deepEqual(page.events.map(({ event }) => event), names.slice(-2));
  await assert.rejects(client.interruptWorker(workerId), { name: "RuntimeApiError", status: 400 });
  await assert.rejects(client.stopWorker(workerId), { name: "RuntimeApiError", status: 400 });
});

test("a run is followed across kill -9 of the server, restarted and stopped", async () => {
  const { run } = await client.createFleetRun(SPEC);
  scene.model.script(saysAndWaits("Working"), saysAndWaits("Working again"));
  const { worker_ids } = await client.startFleetRun(run.id);
  const [workerId = ""] = worker_ids;
  const seen: FleetEvent[] = [];
  let restarted: Promise<unknown> | undefined;
  let stopped: Promise<unknown> | undefined;
  for await (const event of client.fleetEvents(run.id)) {
    seen.push(event);
    if (event.event === "fleet.worker.running") {
      restarted ??= scene.kill().then(() => scene.start()).then(() => client.restartWorker(workerId));
    }
    if (event.event === "fleet.worker.restarted") stopped ??= client.stopFleetRun(run.id);
    if (isEnd(event) && event.payload?.["status"] === "cancelled") break;
  }
  await Promise.all([restarted, stopped]);
  const cursors = seen.map(({ cursor }) => cursor);
  assert.equal(new Set(cursors).size, cursors.length, "no event comes twice");
  const { events } = await client.replayFleetEvents(run.id, { limit: 1000 });
  assert.deepEqual(seen, events.slice(0, seen.length), "what was seen is what is there");
});
