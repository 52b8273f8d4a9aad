// Every method against the document of the server: right route, right key, none left out.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { createRuntimeClient, type RuntimeClient, type ThreadEventPayloads } from "@codewhale/runtime-sdk";

interface Operation {
  operationId: string;
  description?: string;
  parameters?: { name: string; in: string }[];
}

const DOCUMENT = JSON.parse(readFileSync(new URL("../../../generated/openapi.json", import.meta.url), "utf8")) as {
  paths: Record<string, Record<string, Operation>>;
};

/** Each operation of the document by its name, used once. */
const USES: Record<string, (client: RuntimeClient) => Promise<unknown>> = {
  "agent-runs/get": (client) => client.agentRuns.get("id"),
  "agent-runs/list": (client) => client.agentRuns.list({ limit: 1 }),
  "approvals/decide": (client) => client.approvals.decide("id", { decision: "allow", remember: true }),
  "attachments/add": (client) => client.attachments.add("id", { data: "" }),
  "attachments/get": (client) => client.attachments.get("id", "id"),
  "automations/create": (client) => client.automations.create({ name: "n", prompt: "p", rrule: "r" }),
  "automations/delete": (client) => client.automations.delete("id"),
  "automations/get": (client) => client.automations.get("id"),
  "automations/list": (client) => client.automations.list(),
  "automations/patch": (client) => client.automations.patch("id", { name: "n" }),
  "automations/pause": (client) => client.automations.pause("id"),
  "automations/resume": (client) => client.automations.resume("id"),
  "automations/run": (client) => client.automations.run("id"),
  "automations/runs": (client) => client.automations.runs("id", { limit: 1 }),
  "config/get": (client) => client.config.get(),
  "config/reload": (client) => client.config.reload(),
  "config/set": (client) => client.config.set({ key: "model", value: "m" }),
  "fleet/create": (client) =>
    client.createFleetRun({ target: "this_computer", roles: [], workflow: { id: "w", kind: "parallel", tasks: [] } }),
  "fleet/events": (client) => client.fleetEvents("id").next(),
  "fleet/evidence": (client) => client.getFleetEvidence("id", "id"),
  "fleet/get": (client) => client.getFleetRun("id"),
  "fleet/interrupt-worker": (client) => client.interruptWorker("id"),
  "fleet/list": (client) => client.listFleetRuns(),
  "fleet/receipt": (client) => client.getFleetReceipt("id", "id"),
  "fleet/receipts": (client) => client.listFleetReceipts("id"),
  "fleet/replay": (client) => client.replayFleetEvents("id"),
  "fleet/restart-worker": (client) => client.restartWorker("id"),
  "fleet/start": (client) => client.startFleetRun("id"),
  "fleet/stop": (client) => client.stopFleetRun("id"),
  "fleet/stop-worker": (client) => client.stopWorker("id"),
  "fleet/worker": (client) => client.getFleetWorker("id"),
  "fleet/workers": (client) => client.listFleetWorkers("id"),
  "goals/block": (client) => client.goals.block("id"),
  "goals/clear": (client) => client.goals.clear("id"),
  "goals/complete": (client) => client.goals.complete("id"),
  "goals/get": (client) => client.goals.get("id"),
  "goals/set": (client) => client.goals.set("id", { objective: "o" }),
  health: (client) => client.health(),
  "mcp/servers": (client) => client.mcp.servers({}),
  "mcp/tools": (client) => client.mcp.tools({ connect: true }),
  "memory/add": (client) => client.memory.add({ text: "t" }),
  "memory/clear": (client) => client.memory.clear({ scope: "global" }),
  "memory/get": (client) => client.memory.get("id"),
  "memory/list": (client) => client.memory.list({ q: "w" }),
  openapi: (client) => client.openapi(),
  "providers/list": (client) => client.providers.list(),
  "providers/models": (client) => client.providers.models("id"),
  "providers/switch": (client) => client.providers.switch("id"),
  "runtime/info": (client) => client.info(),
  "sessions/delete": (client) => client.sessions.delete("id"),
  "sessions/export": (client) => client.sessions.export(),
  "sessions/get": (client) => client.sessions.get("id", { peek: true }),
  "sessions/list": (client) => client.sessions.list({ search: "s" }),
  "sessions/patch": (client) => client.sessions.patch("id", { title: "t" }),
  "sessions/resume-thread": (client) => client.sessions.resumeThread("id"),
  "sessions/save": (client) => client.sessions.save({ thread_id: "id" }),
  "sessions/summary": (client) => client.sessions.summary({}),
  "skills/list": (client) => client.workspace.skills({}),
  "snapshots/list": (client) => client.snapshots.list({ limit: 1 }),
  "snapshots/restore": (client) => client.snapshots.restore("id"),
  stream: (client) => client.stream({ prompt: "p" }).next(),
  "tasks/cancel": (client) => client.tasks.cancel("id"),
  "tasks/create": (client) => client.tasks.create({ prompt: "p" }),
  "tasks/get": (client) => client.tasks.get("id"),
  "tasks/list": (client) => client.tasks.list({ limit: 1 }),
  "threads/compact": (client) => client.threads.compact("id"),
  "threads/create": (client) => client.threads.create(),
  "threads/events": (client) => client.threads.events("id").next(),
  "threads/fork": (client) => client.threads.fork("id"),
  "threads/get": (client) => client.threads.get("id"),
  "threads/list": (client) => client.threads.list({ limit: 1 }),
  "threads/patch": (client) => client.threads.patch("id", { title: "t" }),
  "threads/patch-undo": (client) => client.threads.patchUndo("id"),
  "threads/resume": (client) => client.threads.resume("id"),
  "threads/retry": (client) => client.threads.retry("id"),
  "threads/summary": (client) => client.threads.summary({}),
  "threads/undo": (client) => client.threads.undo("id"),
  "tool-calls/result": (client) => client.turns.toolResult("id", "id", "id", { success: true }),
  "turns/get": (client) => client.turns.get("id"),
  "tools/call": (client) => client.tools.call("id", { tool: "list_dir" }),
  "tools/list": (client) => client.tools.list(),
  "calls/stop": (client) => client.turns.stopCall("id", "id"),
  "turns/interrupt": (client) => client.turns.interrupt("id", "id"),
  "turns/start": (client) => client.turns.start("id", { prompt: "p" }),
  "turns/steer": (client) => client.turns.steer("id", "id", { prompt: "p" }),
  "usage/report": (client) => client.usage({ group_by: "day" }),
  "user-input/answer": (client) => client.userInput.answer("id", "id", []),
  "workspaces/set-trust": (client) => client.workspace.setTrust({ trusted: false }),
  "workspaces/status": (client) => client.workspace.status({}),
  "workspaces/trust": (client) => client.workspace.trust({}),
};

/** What a call sends: method, path, and whether it has a key. */
async function sent(use: (client: RuntimeClient) => Promise<unknown>): Promise<{ route: string; hasKey: boolean }> {
  let seen: { route: string; hasKey: boolean } | undefined;
  const fetch = (async (url, init) => {
    const headers = new Headers(init?.headers);
    seen = { route: `${init?.method} ${new URL(String(url)).pathname}`, hasKey: headers.has("Idempotency-Key") };
    return new Response(null, { status: 204 });
  }) as typeof globalThis.fetch;
  await use(createRuntimeClient({ fetch })).catch(() => {});
  assert.ok(seen, "it sends something");
  return seen;
}

const documented = Object.entries(DOCUMENT.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
);

for (const { path, method, operation } of documented) {
  const use = USES[operation.operationId];
  if (use === undefined) continue;
  test(`${operation.operationId} goes where the document says`, async () => {
    const hasKey = operation.parameters?.some((parameter) => parameter.name === "Idempotency-Key") ?? false;
    const route = `${method} ${path.replaceAll(/\{[a-z_]+\}/g, "id")}`;
    assert.deepEqual(await sent(use), { route, hasKey });
  });
}

test("every method is one of the document", () => {
  const names = documented.map(({ operation }) => operation.operationId);
  const unknown = Object.keys(USES).filter((name) => !names.includes(name));
  assert.deepEqual(unknown, []);
});

test("a noun that is here is here as a whole", () => {
  const noun = (name: string) => name.split("/")[0];
  const nouns = new Set(Object.keys(USES).map(noun));
  const names = documented.map(({ operation }) => operation.operationId);
  assert.deepEqual(names.filter((name) => nouns.has(noun(name)) && !(name in USES)), []);
});

/** Written out, because types are gone when tests run; a name that is missing does not compile. */
const EVENTS: Record<keyof ThreadEventPayloads, true> = {
  "thread.started": true,
  "thread.forked": true,
  "thread.updated": true,
  "turn.started": true,
  "turn.lifecycle": true,
  "turn.steered": true,
  "turn.interrupt_requested": true,
  "turn.completed": true,
  "item.started": true,
  "item.delta": true,
  "item.completed": true,
  "item.failed": true,
  "item.interrupted": true,
  "item.canceled": true,
  "approval.required": true,
  "approval.decided": true,
  "approval.timeout": true,
  "user_input.required": true,
  "user_input.answered": true,
  "user_input.canceled": true,
  "tool_call.requested": true,
  "tool_call.resolved": true,
  "tool_call.timeout": true,
  "tool_call.canceled": true,
  "sandbox.denied": true,
  "agent.spawned": true,
  "agent.completed": true,
  thread_goal_updated: true,
  thread_goal_cleared: true,
  "task.created": true,
  "task.updated": true,
  "automation.updated": true,
  "coherence.state": true,
};

test("every event with a type is an event of the server", () => {
  const words = DOCUMENT.paths["/v1/threads/{thread_id}/events"]?.["get"]?.description ?? "";
  assert.deepEqual(Object.keys(EVENTS).filter((name) => !words.includes(name)), []);
});
