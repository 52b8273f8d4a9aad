import assert from "node:assert/strict";
import { test } from "node:test";
import {
  RuntimeApiError,
  RuntimeCapabilityError,
  type Capability,
  type FleetEvent,
  type FleetRunSpec,
  type RuntimeClient,
} from "@codewhale/runtime-sdk";
import { Fake, hangsUp, inTurn, json, streams, streamsAndEnds, type Answer } from "./support/fake.js";

const SPEC: FleetRunSpec = {
  target: "this_computer",
  roles: [{ name: "builder" }],
  workflow: {
    id: "demo",
    kind: "parallel",
    tasks: [{ id: "one", name: "One", instructions: "Say hello", worker: { role: "builder" } }],
  },
};

/** Every method with the request that it makes. */
const CALLS: [string, (client: RuntimeClient) => Promise<unknown>][] = [
  ["GET /v1/fleet/runs", (client) => client.listFleetRuns()],
  ["GET /v1/fleet/runs/run_1", (client) => client.getFleetRun("run_1")],
  ["GET /v1/fleet/runs/run_1/workers", (client) => client.listFleetWorkers("run_1")],
  ["GET /v1/fleet/workers/w%2F1", (client) => client.getFleetWorker("w/1")],
  ["POST /v1/fleet/workers/w1/interrupt", (client) => client.interruptWorker("w1")],
  ["POST /v1/fleet/workers/w1/restart", (client) => client.restartWorker("w1")],
  ["POST /v1/fleet/workers/w1/stop", (client) => client.stopWorker("w1")],
  ["POST /v1/fleet/runs/run_1/stop", (client) => client.stopFleetRun("run_1")],
  ["POST /v1/fleet/runs", (client) => client.createFleetRun(SPEC)],
  ["POST /v1/fleet/runs/run_1/start", (client) => client.startFleetRun("run_1")],
  ["GET /v1/fleet/runs/run_1/events/replay?after=c%3A1&limit=9", (client) => client.replayFleetEvents("run_1", { after: "c:1", limit: 9 })],
  ["GET /v1/fleet/runs/run_1/events?after=c%3A1&limit=9", (client) => client.fleetEvents("run_1", { after: "c:1", limit: 9 }).next()],
  ["GET /v1/fleet/runs/run_1/receipts", (client) => client.listFleetReceipts("run_1")],
  ["GET /v1/fleet/runs/run_1/receipts/one", (client) => client.getFleetReceipt("run_1", "one")],
  ["GET /v1/fleet/runs/run_1/receipts/one/evidence", (client) => client.getFleetEvidence("run_1", "one")],
];

/** Those that a server may lack, at their places in the list above. */
const CAPABILITIES = new Map<number, Capability>([
  [8, "fleet_run_create"],
  [9, "fleet_run_start"],
  [10, "fleet_event_replay"],
  [11, "fleet_event_stream"],
]);

async function eventsOf(answer: Answer, count: number, options = {}): Promise<{ events: FleetEvent[]; urls: string[] }> {
  const fake = await Fake.start(answer);
  const events: FleetEvent[] = [];
  try {
    for await (const event of fake.client().fleetEvents("run_1", options)) {
      events.push(event);
      if (events.length === count) break;
    }
  } finally {
    fake.stop();
  }
  return { events, urls: fake.heard.map((heard) => heard.url.replace("/v1/fleet/runs/run_1", "")) };
}

const fleetFrame = (cursor: string, name: string) =>
  `id: ${cursor}\nevent: ${name}\ndata: ${JSON.stringify({ cursor, event: name, run_id: "run_1", payload: {} })}\n\n`;

test("each method makes its request, and none but create has a body", async () => {
  const fake = await Fake.start(json(200, []));
  for (const [index, [expected, call]] of CALLS.entries()) {
    await call(fake.client());
    const heard = fake.heard.at(-1);
    assert.equal(`${heard?.method} ${heard?.url}`, expected);
    assert.deepEqual(heard?.body === "" ? undefined : JSON.parse(heard?.body ?? ""), index === 8 ? SPEC : undefined);
    assert.equal(heard?.headers["idempotency-key"] !== undefined, [5, 8, 9].includes(index), expected);
  }
  fake.stop();
});

test("404, 405 and 501 name the capability that a server lacks, and are plain refusals elsewhere", async () => {
  for (const status of [404, 405, 501]) {
    for (const body of ["", JSON.stringify({ error: { message: "no such path", status, code: "unknown_operation" } })]) {
      const fake = await Fake.start((_, response) => void response.writeHead(status).end(body));
      for (const [index, [name, call]] of CALLS.entries()) {
        const capability = CAPABILITIES.get(index);
        await assert.rejects(call(fake.client()), (thrown) => {
          assert.ok(thrown instanceof RuntimeApiError, name);
          assert.equal(thrown.status, status);
          assert.equal(thrown instanceof RuntimeCapabilityError ? thrown.capability : undefined, capability, name);
          return true;
        });
      }
      fake.stop();
    }
  }
});

test("a run that is not there is not a server that lacks something", async () => {
  const fake = await Fake.start(json(404, { error: { message: "no run run_1", status: 404, code: "not_found" } }));
  for (const index of CAPABILITIES.keys()) {
    await assert.rejects(CALLS[index]![1](fake.client()), (thrown) => {
      assert.ok(thrown instanceof RuntimeApiError && !(thrown instanceof RuntimeCapabilityError));
      return true;
    });
  }
  fake.stop();
});

test("other refusals of these routes are plain", async () => {
  const fake = await Fake.start(json(409, { error: { message: "already ended", status: 409, code: "conflict" } }));
  await assert.rejects(fake.client().startFleetRun("run_1"), { name: "RuntimeApiError", status: 409, code: "conflict" });
  fake.stop();
});

test("events are followed by their cursors across breaks", async () => {
  const answer = inTurn(
    streamsAndEnds(fleetFrame("e1:1", "fleet.run.created"), fleetFrame("e1:2", "fleet.task.enqueued")),
    hangsUp,
    streams(fleetFrame("e1:2", "fleet.task.enqueued"), fleetFrame("e1:3", "fleet.task.leased")),
  );
  const { events, urls } = await eventsOf(answer, 3);
  assert.deepEqual(events.map((event) => event.event), ["fleet.run.created", "fleet.task.enqueued", "fleet.task.leased"]);
  assert.deepEqual(urls, ["/events", "/events?after=e1%3A2", "/events?after=e1%3A2"]);
});

test("name and cursor are taken from the frame when the data lacks them, and empty data is passed over", async () => {
  const answer = streams('event: fleet.empty\ndata:\n\nid: 7\r\nevent: fleet.worker.running\r\ndata: {"run_id":"run_1"}\r\n\r\n');
  const { events } = await eventsOf(answer, 1);
  assert.deepEqual(events, [{ run_id: "run_1", event: "fleet.worker.running", cursor: "7" }]);
});

test("a server that answers with JSON instead of a stream is understood", async () => {
  const event = { cursor: "1", event: "fleet.run.created", run_id: "run_1", payload: {} };
  for (const answer of [[event], { events: [event] }]) {
    const { events, urls } = await eventsOf(json(200, answer), 9);
    assert.deepEqual(events, [event]);
    assert.equal(urls.length, 1);
  }
});

test("a cursor that the server forgot is told, and the stream starts over", async () => {
  const lost = 'event: fleet.replay.cursor_unavailable\ndata: {"run_id":"run_1","reload_projection":true}\n\n';
  const gone = json(409, { error: { message: "cursor gone", status: 409, code: "conflict" } });
  for (const answer of [streamsAndEnds(lost), gone]) {
    const { events, urls } = await eventsOf(
      inTurn(streamsAndEnds(fleetFrame("1", "fleet.run.created")), answer, streams(fleetFrame("9", "fleet.task.leased"))),
      3,
    );
    assert.deepEqual(events[1], { event: "fleet.replay.cursor_unavailable", run_id: "run_1", reload_projection: true });
    assert.deepEqual(urls, ["/events", "/events?after=1", "/events"]);
  }
});

test("a cursor of the caller's that is refused is the caller's to mend", async () => {
  const gone = json(409, { error: { message: "cursor gone", status: 409, code: "conflict" } });
  await assert.rejects(eventsOf(gone, 1, { after: "old" }), { name: "RuntimeApiError", status: 409 });
});

test("trouble of the stream itself is mended and not shown", async () => {
  const trouble = 'event: fleet.stream.error\ndata: {"retryable":true}\n\n';
  const { events } = await eventsOf(inTurn(streamsAndEnds(trouble), streams(fleetFrame("1", "fleet.run.created"))), 1);
  assert.equal(events[0]?.event, "fleet.run.created");
});
