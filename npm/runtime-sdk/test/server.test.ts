// The real program, with a scripted model behind it.

import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { RuntimeApiError, type ApprovalRequest, type RuntimeClient, type ThreadEvent } from "@codewhale/runtime-sdk";
import { calls, says, saysAndWaits } from "./support/model.js";
import { Scene } from "./support/program.js";

let scene: Scene;
let client: RuntimeClient;

before(async () => {
  scene = await Scene.open("[memory]\nenabled = true\n");
  client = scene.client();
});

after(() => scene.close());

const write = (path: string) => calls("write_file", { path, content: "hello\n" });

/** Follows until an event of this name. */
async function until(threadId: string, name: ThreadEvent["event"], sinceSeq = 0): Promise<ThreadEvent> {
  for await (const event of client.threads.events(threadId, { sinceSeq })) {
    if (event.event === name) return event;
  }
  assert.fail("the loop ended");
}

test("a server tells what it is, without a token too", async () => {
  const stranger = scene.client({ token: undefined });
  assert.equal((await stranger.health()).status, "ok");
  const info = await stranger.info();
  assert.equal(info.auth_required, true);
  assert.equal(info.capabilities["threads"], true);
  assert.ok("paths" in (await client.openapi()));
});

test("a wrong token is refused everywhere, and stands in no error", async () => {
  const token = "wrong-token-0123456789";
  const stranger = scene.client({ token });
  const { id } = await client.threads.create();
  for (const use of [
    () => stranger.threads.list(),
    () => stranger.threads.events(id).next(),
    () => stranger.runTurn(id, "hello").finished(),
    () => stranger.stream({ prompt: "hello" }).next(),
  ]) {
    await assert.rejects(use, (thrown) => {
      assert.ok(thrown instanceof RuntimeApiError);
      assert.equal(thrown.status, 401);
      assert.equal(thrown.code, "unauthenticated");
      assert.ok(!JSON.stringify([thrown.message, thrown.stack, thrown.data]).includes(token));
      return true;
    });
  }
});

test("threads are made once, listed, read, changed, loaded and copied", async () => {
  const made = await client.threads.create({ title: "a thread" }, { idempotencyKey: "thread-1" });
  const again = await client.threads.create({ title: "a thread" }, { idempotencyKey: "thread-1" });
  assert.equal(again.id, made.id);
  await assert.rejects(client.threads.create({ title: "another" }, { idempotencyKey: "thread-1" }), { status: 409 });
  assert.ok((await client.threads.list({ limit: 50 })).some((thread) => thread.id === made.id));
  const lines = await client.threads.summary({ search: "a thread" });
  assert.ok(lines.some((line) => line.id === made.id));
  const patched = await client.threads.patch(made.id, { title: "renamed" });
  assert.equal(patched.title, "renamed");
  assert.equal((await client.threads.get(made.id)).thread.title, "renamed");
  assert.equal((await client.threads.resume(made.id)).id, made.id);
  const copy = await client.threads.fork(made.id);
  assert.notEqual(copy.id, made.id);
  await assert.rejects(client.threads.patch(made.id, {}), { status: 400, code: "invalid_params" });
  await assert.rejects(client.threads.get("thr_00000000000000000000000000000000"), { status: 404, code: "not_found" });
});

test("a turn that asks before it writes is followed to its last words", async () => {
  const { id } = await client.threads.create();
  scene.model.script(write("made.txt"), says("It is ", "written."));
  const asked: ApprovalRequest[] = [];
  const run = client.runTurn(id, "write a file", {
    onApproval: (request) => {
      asked.push(request);
      return "allow";
    },
  });
  const names: string[] = [];
  for await (const event of run) names.push(event.event);
  const { text, status, turn } = await run.finished();
  assert.equal(text, "It is written.");
  assert.equal(status, "completed");
  assert.equal(turn.id, await run.started());
  assert.equal(asked[0]?.tool_name, "write_file");
  assert.equal(readFileSync(join(scene.workspace, "made.txt"), "utf8"), "hello\n");
  assert.equal(names[0], "turn.started");
  assert.equal(names.at(-1), "turn.completed");
  for (const name of ["item.delta", "approval.required", "approval.decided"]) assert.ok(names.includes(name), name);
});

test("a call that is denied does not run", async () => {
  const { id } = await client.threads.create();
  scene.model.script(write("denied.txt"), says("Very well."));
  const result = await client.runTurn(id, "write", { onApproval: async () => ({ decision: "deny" }) }).finished();
  assert.equal(result.text, "Very well.");
  assert.ok(!existsSync(join(scene.workspace, "denied.txt")));
});

test("what a command prints is seen while it runs, is no answer, and the command can be stopped alone", async () => {
  const { id } = await client.threads.create({ allow_shell: true });
  const command = "echo printed; until [ -e never ]; do sleep 0.05; done";
  scene.model.script((say) => say.call("exec_shell", { command }), says("Stopped, then."));
  const run = client.runTurn(id, "run it", { onApproval: () => "allow" });
  let printed = "";
  for await (const event of run) {
    if (event.event !== "item.delta" || event.payload.kind !== "tool_call") continue;
    assert.ok(event.item_id);
    printed += event.payload.delta;
    if (printed === "printed\n") assert.equal((await client.turns.stopCall(id, event.item_id)).status, "in_progress");
  }
  const { text, status } = await run.finished();
  assert.equal(text, "Stopped, then.");
  assert.equal(status, "completed");
  assert.match(scene.model.requests.at(-1) ?? "", /A person stopped this call/);
});

test("an approval that somebody else decides is taken back", async () => {
  const { id } = await client.threads.create();
  scene.model.script(write("elsewhere.txt"), says("Done."));
  let takenBack = () => {};
  const isTakenBack = new Promise<void>((resolve) => (takenBack = resolve));
  const run = client.runTurn(id, "write", {
    onApproval: async ({ approval_id }, { signal }) => {
      await client.approvals.decide(approval_id, "deny");
      if (!signal.aborted) await once(signal, "abort");
      takenBack();
      return undefined;
    },
  });
  assert.equal((await run.finished()).status, "completed");
  await isTakenBack;
});

test("the second answer to an approval is refused with the first", async () => {
  const { id } = await client.threads.create();
  scene.model.script(write("once.txt"), says("Done."));
  await client.turns.start(id, { prompt: "write" });
  const event = await until(id, "approval.required");
  assert.ok(event.event === "approval.required");
  const receipt = await client.approvals.decide(event.payload.approval_id, "allow");
  assert.equal(receipt.decision, "allow");
  await assert.rejects(client.approvals.decide(event.payload.approval_id, "deny"), { status: 409, code: "conflict" });
  await until(id, "turn.completed");
});

test("a callback that fails ends the run with its error, and the turn goes on", async () => {
  const { id } = await client.threads.create();
  scene.model.script(write("failed.txt"));
  const run = client.runTurn(id, "write", {
    onApproval: () => {
      throw new Error("nobody at the desk");
    },
  });
  await assert.rejects(run.finished(), { message: "nobody at the desk" });
  const { pending_approvals } = await client.threads.get(id);
  assert.equal(pending_approvals.length, 1);
  await client.turns.interrupt(id, await run.started());
  await until(id, "turn.completed");
});

test("questions of the agent are answered", async () => {
  const { id } = await client.threads.create();
  const option = (label: string) => ({ label, description: "one of two" });
  const question = { header: "Database", id: "db", question: "Which one?", options: [option("SQLite"), option("Postgres")] };
  scene.model.script(calls("request_user_input", { questions: [question] }), says("SQLite it is."));
  const result = await client
    .runTurn(id, "choose", { onUserInput: ({ questions }) => questions.map(({ id }) => ({ id, label: "SQLite", value: "SQLite" })) })
    .finished();
  assert.equal(result.text, "SQLite it is.");
});

test("a loop that is left can be taken up, and two at once cannot", async () => {
  const { id } = await client.threads.create();
  scene.model.script(says("One ", "two ", "three."));
  const run = client.runTurn(id, "count");
  const seqs: number[] = [];
  for await (const event of run) {
    seqs.push(event.seq);
    await assert.rejects(run[Symbol.asyncIterator]().next(), { name: "RuntimeError" });
    if (seqs.length === 2) break;
  }
  for await (const event of run) seqs.push(event.seq);
  assert.deepEqual(seqs, [...new Set(seqs)].sort((a, b) => a - b));
  assert.equal((await run.finished()).text, "One two three.");
  for await (const _ of run) assert.fail("it is over");
});

test("a turn is added to and stopped", async () => {
  const { id } = await client.threads.create();
  scene.model.script(saysAndWaits("Thinking"));
  const run = client.runTurn(id, "think");
  const turnId = await run.started();
  await until(id, "item.delta");
  await assert.rejects(client.turns.start(id, { prompt: "more" }), { status: 409, data: { active_turn_id: turnId } });
  await client.turns.steer(id, turnId, { prompt: "faster" });
  await run.interrupt();
  const { status, text, turn } = await run.finished();
  assert.equal(status, "interrupted");
  assert.equal(text, "Thinking");
  assert.equal(turn.steer_count, 1);
});

test("an abort ends a run with its reason and leaves the turn alone", async () => {
  const { id } = await client.threads.create();
  scene.model.script(saysAndWaits("Thinking"));
  const controller = new AbortController();
  const run = client.runTurn(id, "think", { signal: controller.signal });
  const reason = new Error("going home");
  await assert.rejects(async () => {
    for await (const event of run) if (event.event === "item.delta") controller.abort(reason);
  }, (thrown) => thrown === reason);
  await assert.rejects(run.finished(), (thrown) => thrown === reason);
  const { turns } = await client.threads.get(id);
  assert.equal(turns[0]?.status, "in_progress");
  await client.turns.interrupt(id, await run.started());
  await until(id, "turn.completed");
});

test("threads are shortened, undone and tried again", async () => {
  const { id } = await client.threads.create();
  scene.model.script(says("First."), says("Second."), says("A summary."));
  await client.runTurn(id, "say something").finished();
  const retried = await client.threads.retry(id, { prompt: "say something else" });
  await until(retried.thread.id, "turn.completed");
  const { turn } = await client.threads.compact(retried.thread.id, { reason: "tidy up" });
  assert.equal(turn.thread_id, retried.thread.id);
  for await (const event of client.threads.events(retried.thread.id)) {
    if (event.event === "turn.completed" && event.turn_id === turn.id) break;
  }
  const undone = await client.threads.undo(id);
  assert.deepEqual((await client.threads.get(undone.thread.id)).turns, []);
  assert.ok((await client.threads.patchUndo(id)).patch_result);
});

test("files are brought back to a restore point", async () => {
  const [snapshot] = await client.snapshots.list({ limit: 5 });
  assert.ok(snapshot, "the turns that wrote files kept some");
  assert.equal((await client.snapshots.restore(snapshot.id)).restored, snapshot.id);
});

test("a reader that takes its time gets everything, in order", async () => {
  const { id } = await client.threads.create();
  const pieces = Array.from({ length: 400 }, (_, index) => `${index} ${"x".repeat(2000)}\n`);
  scene.model.script(says(...pieces));
  const { turn } = await client.turns.start(id, { prompt: "talk a lot" });
  let text = "";
  let previous = 0;
  for await (const event of client.threads.events(id)) {
    assert.equal(event.previous_seq, previous);
    previous = event.seq;
    if (event.event === "item.delta") text += event.payload.delta;
    if (event.event === "turn.completed" && event.turn_id === turn.id) break;
    // Others run before the next event is asked for.
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.equal(text, pieces.join(""));
});

test("tasks are queued, listed, read and called off", async () => {
  scene.model.script(saysAndWaits("Working"));
  const task = await client.tasks.create({ prompt: "work" }, { idempotencyKey: "task-1" });
  assert.equal((await client.tasks.create({ prompt: "work" }, { idempotencyKey: "task-1" })).id, task.id);
  assert.ok((await client.tasks.list()).tasks.some(({ id }) => id === task.id));
  assert.equal((await client.tasks.get(task.id)).prompt, "work");
  await scene.model.spoken();
  await client.tasks.cancel(task.id);
});

test("automations are made, changed, paused, resumed and deleted", async () => {
  const made = await client.automations.create({ name: "nightly", prompt: "look", rrule: "FREQ=HOURLY;INTERVAL=2", status: "paused" });
  assert.ok((await client.automations.list()).some(({ id }) => id === made.id));
  assert.equal((await client.automations.patch(made.id, { name: "hourly" })).name, "hourly");
  assert.equal((await client.automations.resume(made.id)).status, "active");
  assert.equal((await client.automations.pause(made.id)).status, "paused");
  assert.equal((await client.automations.get(made.id)).name, "hourly");
  scene.model.script(says("Looked."));
  const run = await client.automations.run(made.id);
  await scene.model.spoken();
  assert.ok((await client.automations.runs(made.id, { limit: 5 })).some(({ id }) => id === run.id));
  assert.equal((await client.automations.delete(made.id)).id, made.id);
});

test("sessions are listed, read, renamed, handed out, resumed and deleted", async () => {
  const { id } = await client.threads.create({ title: "recorded" });
  scene.model.script(says("Hello."));
  await client.runTurn(id, "hello").finished();
  assert.ok((await client.sessions.list({ search: "recorded" })).sessions.some((session) => session.id === id));
  assert.ok((await client.sessions.summary({ limit: 50 })).some((session) => session.id === id));
  assert.ok(await client.sessions.get(id, { peek: true, entries: 2 }));
  assert.ok((await client.sessions.patch(id, { title: "renamed" })).changes);
  assert.equal((await client.sessions.save({ thread_id: id })).session_id, id);
  assert.equal((await client.sessions.export({ thread_id: id })).session_id, id);
  assert.equal((await client.sessions.resumeThread(id)).thread_id, id);
  assert.equal(await client.sessions.delete(id), null);
  await assert.rejects(client.sessions.get(id), { status: 404 });
});

test("goals are set, blocked, reached and taken away", async () => {
  const { id } = await client.threads.create();
  assert.equal((await client.goals.set(id, { objective: "all green", token_budget: 1 })).objective, "all green");
  assert.equal((await client.goals.get(id)).objective, "all green");
  await client.goals.block(id);
  await client.goals.complete(id);
  assert.equal(await client.goals.clear(id), null);
});

test("notes, usage, receipts, MCP servers and workspaces are looked after", async () => {
  const kept = await client.memory.add({ text: "tabs are eight wide", scope: "global" });
  assert.ok(kept);
  assert.ok((await client.memory.list({ q: "eight" })).entries.length > 0);
  assert.ok(await client.memory.clear({ scope: "global" }));
  assert.equal((await client.usage({ group_by: "model" })).group_by, "model");
  assert.deepEqual((await client.agentRuns.list()).runs, []);
  await assert.rejects(client.agentRuns.get("run_none"), { status: 404 });
  assert.deepEqual((await client.mcp.servers()).servers, []);
  assert.deepEqual((await client.mcp.tools()).tools, []);
  assert.ok("git_repo" in (await client.workspace.status()));
  assert.equal((await client.workspace.trust()).trusted, false);
  assert.equal((await client.workspace.setTrust({ trusted: false })).trusted, false);
  assert.ok((await client.workspace.skills()).skills);
});

test("one prompt is one stream", async () => {
  scene.model.script(says("Once."));
  const names: string[] = [];
  for await (const { event } of client.stream({ prompt: "hello" })) names.push(event);
  assert.equal(names[0], "turn.started");
  assert.equal(names.at(-1), "done");
});

test("an operation without a method can be asked for by its path", async () => {
  const threads = await client.request("GET", "/v1/threads", { query: { limit: 1 } });
  assert.equal((threads as unknown[]).length, 1);
  const key = { idempotencyKey: "raw-1" };
  const [one, two] = [await client.request("POST", "/v1/threads", { body: {} }, key), await client.request("POST", "/v1/threads", { body: {} }, key)];
  assert.deepEqual(one, two);
  await assert.rejects(client.request("GET", "/v1/nothing"), { status: 404, code: "unknown_operation" });
});
