import assert from "node:assert/strict";
import { test } from "node:test";
import type { RuntimeClient, RuntimeError, ThreadEventsOptions } from "@codewhale/runtime-sdk";
import { delayMs } from "../dist/esm/wait.js";
import { Fake, frame, hangsUp, inTurn, json, streams, streamsAndEnds, type Answer } from "./support/fake.js";

/** Follows until the event at this place; tells the places of all events. */
async function seqsUntil(client: RuntimeClient, last: number, options: ThreadEventsOptions = {}): Promise<number[]> {
  const seqs: number[] = [];
  for await (const event of client.threads.events("thr_1", options)) {
    seqs.push(event.seq);
    if (event.seq === last) break;
  }
  return seqs;
}

async function check(
  answer: Answer,
  last: number,
  expected: { seqs: number[]; urls: string[] },
  options: ThreadEventsOptions = {},
): Promise<void> {
  const fake = await Fake.start(answer);
  try {
    assert.deepEqual(await seqsUntil(fake.client(), last, options), expected.seqs);
    const events = fake.heard.map((heard) => heard.url.replace("/v1/threads/thr_1", ""));
    assert.deepEqual(events, expected.urls);
  } finally {
    fake.stop();
  }
}

test("a stream that ends is taken up behind its last event, without a repeat", async () => {
  await check(
    inTurn(streamsAndEnds(frame(1, 0), frame(4, 1)), hangsUp, streams(frame(1, 0), frame(4, 1), frame(6, 4))),
    6,
    { seqs: [1, 4, 6], urls: ["/events?since_seq=0", "/events?since_seq=4", "/events?since_seq=4"] },
  );
});

test("an event that was cut off comes again as a whole", async () => {
  await check(inTurn(streamsAndEnds(frame(1, 0), frame(2, 1).slice(0, -9)), streams(frame(2, 1))), 2, {
    seqs: [1, 2],
    urls: ["/events?since_seq=0", "/events?since_seq=1"],
  });
});

test("a gap is fetched", async () => {
  await check(inTurn(streams(frame(1, 0), frame(5, 3)), streams(frame(3, 1), frame(5, 3))), 5, {
    seqs: [1, 3, 5],
    urls: ["/events?since_seq=0", "/events?since_seq=1"],
  });
});

test("a gap that the server cannot fill is an error, not a silence", async () => {
  const fake = await Fake.start(streams(frame(1, 0), frame(5, 3)));
  await assert.rejects(seqsUntil(fake.client(), 5), { name: "RuntimeProtocolError", message: /between 1 and 5/ });
  fake.stop();
});

test("a place that the caller names may lie between two events", async () => {
  await check(streams(frame(12, 7), frame(13, 12)), 13, { seqs: [12, 13], urls: ["/events?since_seq=9"] }, { sinceSeq: 9 });
});

test("a server that tells no chain is followed all the same", async () => {
  await check(streams(frame(3, undefined), frame(9, undefined)), 9, { seqs: [3, 9], urls: ["/events?since_seq=0"] });
});

test("the newest of the history are asked for once", async () => {
  await check(
    inTurn(hangsUp, streamsAndEnds(frame(40, 38)), streams(frame(41, 40))),
    41,
    {
      seqs: [40, 41],
      urls: ["/events?since_seq=0&replay_limit=1", "/events?since_seq=0&replay_limit=1", "/events?since_seq=40"],
    },
    { replayLimit: 1 },
  );
});

test("none of the history means from now on, also across a break", async () => {
  await check(
    inTurn(json(200, { latest_seq: 40 }), streamsAndEnds(": keepalive\n\n"), streams(frame(41, 40))),
    41,
    { seqs: [41], urls: ["", "/events?since_seq=40", "/events?since_seq=40"] },
    { replayLimit: 0 },
  );
});

test("a server that falls silent is left, and one that keeps alive is not", async () => {
  let beats = 0;
  const alive: Answer = (_, response) => {
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    response.write(frame(1, 0));
    const beat = setInterval(() => {
      response.write(": keepalive\n\n");
      beats += 1;
      if (beats === 16) {
        clearInterval(beat);
        response.write(frame(2, 1));
      }
    }, 50);
  };
  const breaks: RuntimeError[] = [];
  await check(
    inTurn(alive, streams(frame(3, 2))),
    3,
    { seqs: [1, 2, 3], urls: ["/events?since_seq=0", "/events?since_seq=2"] },
    { silenceMs: 500, onBreak: (error) => breaks.push(error) },
  );
  assert.equal(beats, 16, "800 ms of comments were no silence");
  assert.match(breaks[0]?.message ?? "", /silent for 500 ms/);
});

test("a reader that was asleep hears what came meanwhile before it calls the server silent", async () => {
  let goOn = () => {};
  const fake = await Fake.start((heard, response) => {
    streams(frame(1, 0))(heard, response);
    goOn = () => response.write(frame(2, 1));
  });
  const sleep = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
  const events = fake.client().threads.events("thr_1", { silenceMs: 150, reconnects: 0 });
  await events.next();
  // The sleep ends beyond the time at which silence is due; the clock of that is heard right behind the write.
  setTimeout(sleep, 10);
  setTimeout(goOn, 20);
  assert.equal((await events.next()).value?.seq, 2);
  await events.return();
  fake.stop();
});

test("CRLF and characters across pieces arrive as they were", async () => {
  const text = Buffer.from(frame(1, 0, { payload: { delta: "Grüße 🐳" } }).replaceAll("\n", "\r\n"));
  const fake = await Fake.start((_, response) => {
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    const bytes = [...text];
    const next = () => {
      const byte = bytes.shift();
      if (byte !== undefined) response.write(Buffer.of(byte), () => setImmediate(next));
    };
    next();
  });
  const events = fake.client().threads.events("thr_1");
  const { value } = await events.next();
  assert.deepEqual(value?.payload, { delta: "Grüße 🐳" });
  await events.return();
  fake.stop();
});

test("an abort ends the loop without an error: while waiting, and between attempts", async () => {
  for (const answer of [streams(frame(1, 0)), streamsAndEnds(frame(1, 0))]) {
    const fake = await Fake.start(inTurn(answer, hangsUp));
    const controller = new AbortController();
    const seqs: number[] = [];
    for await (const event of fake.client().threads.events("thr_1", { signal: controller.signal })) {
      seqs.push(event.seq);
      setImmediate(() => controller.abort());
    }
    assert.deepEqual(seqs, [1]);
    const again = await fake.client().threads.events("thr_1", { signal: controller.signal }).next();
    assert.equal(again.done, true);
    fake.stop();
  }
});

test("leaving the loop closes the connection", async () => {
  let closed = () => {};
  const isClosed = new Promise<void>((resolve) => (closed = resolve));
  const fake = await Fake.start((heard, response) => {
    response.on("close", closed);
    streams(frame(1, 0))(heard, response);
  });
  await seqsUntil(fake.client(), 1);
  await isClosed;
  fake.stop();
});

test("a refusal ends the loop, at the start and later", async () => {
  const refused = json(404, { error: { message: "no such thread", status: 404, code: "not_found" } });
  for (const answer of [refused, inTurn(streamsAndEnds(frame(1, 0)), refused)]) {
    const fake = await Fake.start(answer);
    await assert.rejects(seqsUntil(fake.client(), 2), { name: "RuntimeApiError", status: 404 });
    fake.stop();
  }
});

test("a server that stays away is given up: soon at the start, later after as many attempts as wanted", async () => {
  const fake = await Fake.start(inTurn(hangsUp, hangsUp, streamsAndEnds(frame(1, 0)), hangsUp));
  await assert.rejects(seqsUntil(fake.client({ attempts: 2 }), 2), { name: "RuntimeConnectionError" });
  assert.equal(fake.heard.length, 2);
  await assert.rejects(seqsUntil(fake.client(), 2, { reconnects: 3 }), { name: "RuntimeConnectionError" });
  assert.equal(fake.heard.length, 2 + 1 + 3);
  fake.stop();
});

test("an answer that is no event stream, or no JSON in it, is told", async () => {
  for (const answer of [json(200, { hello: 1 }), streams("event: a\ndata: {\n\n")]) {
    const fake = await Fake.start(answer);
    await assert.rejects(seqsUntil(fake.client(), 1), { name: "RuntimeProtocolError" });
    fake.stop();
  }
});

test("waits grow to a bound, and half of each is chance", () => {
  const waits = [1, 2, 3, 6, 7, 40].map((failures) => [delayMs(failures, 0), delayMs(failures, 1)]);
  assert.deepEqual(waits, [[50, 100], [100, 200], [200, 400], [1600, 3200], [2500, 5000], [2500, 5000]]);
});
