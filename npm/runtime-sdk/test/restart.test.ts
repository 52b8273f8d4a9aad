// kill -9 of the server, and what a client sees of it.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { ThreadEvent } from "@codewhale/runtime-sdk";
import { says, saysAndWaits } from "./support/model.js";
import { Scene } from "./support/program.js";

async function withScene(use: (scene: Scene) => Promise<void>): Promise<void> {
  const scene = await Scene.open();
  try {
    await use(scene);
  } finally {
    await scene.close();
  }
}

test("events go on across kill -9 and a new start, without gap or repeat", async () => {
  await withScene(async (scene) => {
    const client = scene.client();
    const { id } = await client.threads.create();
    scene.model.script(saysAndWaits("Half a ", "sentence"), says("A whole one."));
    await client.turns.start(id, { prompt: "speak" });
    const seen: ThreadEvent[] = [];
    let breaks = 0;
    let restarted: Promise<void> | undefined;
    for await (const event of client.threads.events(id, { onBreak: () => (breaks += 1) })) {
      seen.push(event);
      // The loop must not wait for the server to be back: it is the loop that notices.
      if (event.event === "item.delta") restarted ??= scene.kill().then(() => scene.start());
      if (event.event !== "turn.completed") continue;
      if (event.payload.recovered) await client.turns.start(id, { prompt: "again" });
      else break;
    }
    await restarted;
    assert.ok(breaks > 0, "the connection broke");
    const first = seen.find((event) => event.event === "turn.completed");
    assert.ok(first?.event === "turn.completed");
    assert.equal(first.payload.turn.status, "interrupted");
    const all: ThreadEvent[] = [];
    for await (const event of client.threads.events(id)) {
      all.push(event);
      if (event.seq === seen.at(-1)?.seq) break;
    }
    assert.deepEqual(seen, all, "what was seen is what is there");
    let previous = 0;
    for (const event of seen) {
      assert.equal(event.previous_seq, previous);
      previous = event.seq;
    }
  });
});

test("a run tells how its turn ended, also when the server died under it", async () => {
  await withScene(async (scene) => {
    const client = scene.client();
    const { id } = await client.threads.create();
    scene.model.script(saysAndWaits("Half a sentence"));
    const run = client.runTurn(id, "speak");
    let restarted: Promise<void> | undefined;
    for await (const event of run) {
      if (event.event === "item.delta") restarted ??= scene.kill().then(() => scene.start());
    }
    await restarted;
    const { status, text } = await run.finished();
    assert.equal(status, "interrupted");
    assert.equal(text, "Half a sentence");
    scene.model.script(says("All of it."));
    assert.equal((await client.runTurn(id, "once more").finished()).text, "All of it.");
  });
});

test("a turn that is started while the server is down is started once it is back", async () => {
  await withScene(async (scene) => {
    const client = scene.client({ attempts: 12 });
    const { id } = await client.threads.create();
    scene.model.script(says("Here."));
    await scene.kill();
    const run = client.runTurn(id, "are you there?", { idempotencyKey: "turn-1" });
    const [result] = await Promise.all([run.finished(), scene.start()]);
    assert.equal(result.text, "Here.");
    const again = await client.runTurn(id, "are you there?", { idempotencyKey: "turn-1" }).finished();
    assert.deepEqual(again, result, "the same request starts no second turn, and tells how the first one ended");
    assert.equal((await client.threads.get(id)).turns.length, 1);
  });
});

test("approvals that waited for a process that died are taken back", async () => {
  await withScene(async (scene) => {
    const client = scene.client();
    const { id } = await client.threads.create();
    scene.model.script((say) => say.call("write_file", { path: "a.txt", content: "a" }));
    let takenBack = () => {};
    const isTakenBack = new Promise<void>((resolve) => (takenBack = resolve));
    const run = client.runTurn(id, "write", {
      onApproval: async (_, { signal }) => {
        signal.addEventListener("abort", takenBack);
        await scene.kill();
        await scene.start();
        return undefined;
      },
    });
    assert.equal((await run.finished()).status, "interrupted");
    await isTakenBack;
  });
});
