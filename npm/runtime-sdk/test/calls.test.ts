import assert from "node:assert/strict";
import { test } from "node:test";
import {
  createRuntimeClient,
  RuntimeApiError,
  RuntimeConnectionError,
  RuntimeProtocolError,
} from "@codewhale/runtime-sdk";
import { Fake, hangsUp, inTurn, json, type Answer } from "./support/fake.js";

async function withFake(answer: Answer, use: (fake: Fake) => Promise<void>): Promise<void> {
  const fake = await Fake.start(answer);
  try {
    await use(fake);
  } finally {
    fake.stop();
  }
}

const refusal = (status: number, error: object) => json(status, { error: { status, ...error } });

test("a refusal tells status, code, message and the present state", async () => {
  const error = { message: "a turn runs; interrupt it", code: "conflict", data: { active_turn_id: "turn_1" } };
  await withFake(refusal(409, error), async (fake) => {
    await assert.rejects(fake.client().turns.start("thr_1", { prompt: "x" }), (thrown) => {
      assert.ok(thrown instanceof RuntimeApiError);
      assert.deepEqual(
        { status: thrown.status, code: thrown.code, message: thrown.message, data: thrown.data },
        { status: 409, ...error },
      );
      return true;
    });
    assert.equal(fake.heard.length, 1, "a refusal is not asked for again");
  });
});

test("a refusal of another server is shown by its beginning", async () => {
  const answer: Answer = (_, response) => void response.writeHead(418).end("teapot ".repeat(500));
  await withFake(answer, async (fake) => {
    await assert.rejects(fake.client().info(), (thrown) => {
      assert.ok(thrown instanceof RuntimeApiError);
      assert.equal(thrown.code, undefined);
      assert.match(thrown.message, /^teapot/);
      assert.ok(thrown.message.length < 600);
      return true;
    });
  });
});

test("204 and a bare 202 are null, and any other success must be JSON", async () => {
  const answer = inTurn(
    (_, response) => void response.writeHead(202).end(),
    (_, response) => void response.writeHead(204).end(),
    (_, response) => void response.writeHead(200).end("<html>"),
  );
  await withFake(answer, async (fake) => {
    assert.equal(await fake.client().turns.toolResult("thr_1", "turn_1", "call_1", { success: true }), null);
    assert.equal(await fake.client().sessions.delete("thr_1"), null);
    await assert.rejects(fake.client().info(), RuntimeProtocolError);
  });
});

test("what makes something is sent again under one key", async () => {
  await withFake(inTurn(hangsUp, refusal(503, { message: "going down" }), json(201, { id: "thr_1" })), async (fake) => {
    assert.equal((await fake.client().threads.create()).id, "thr_1");
    const keys = fake.heard.map((heard) => heard.headers["idempotency-key"]);
    assert.equal(keys.length, 3);
    assert.equal(new Set(keys).size, 1);
    assert.match(String(keys[0]), /^[\x21-\x7e]{16,}$/);
    await fake.client().threads.create({}, { idempotencyKey: "mine" });
    assert.equal(fake.heard.at(-1)?.headers["idempotency-key"], "mine");
    await fake.client().threads.create();
    assert.notEqual(fake.heard.at(-1)?.headers["idempotency-key"], keys[0], "each call has its own");
  });
});

test("what must not happen twice is sent once, unless it was refused for lack of room", async () => {
  await withFake(inTurn(hangsUp, refusal(503, { message: "x" }), refusal(429, { message: "x" }), json(200, {})), async (fake) => {
    const client = fake.client();
    await assert.rejects(client.approvals.decide("appr_1", "allow"), RuntimeConnectionError);
    await assert.rejects(client.approvals.decide("appr_1", "allow"), { status: 503 });
    assert.equal(fake.heard.length, 2);
    await client.approvals.decide("appr_1", "allow");
    assert.equal(fake.heard.length, 4);
  });
});

test("attempts end", async () => {
  await withFake(hangsUp, async (fake) => {
    await assert.rejects(fake.client({ attempts: 2 }).info(), RuntimeConnectionError);
    assert.equal(fake.heard.length, 2);
  });
});

test("a server that is not there is told apart from one that broke off", async () => {
  const fake = await Fake.start(hangsUp);
  const client = fake.client({ attempts: 1 });
  await assert.rejects(client.info(), { name: "RuntimeConnectionError", unsent: false });
  fake.stop();
  await assert.rejects(client.info(), { name: "RuntimeConnectionError", unsent: true, message: /codewhale app-server/ });
});

test("an answer that takes too long is given up", async () => {
  await withFake(() => {}, async (fake) => {
    await assert.rejects(fake.client({ attempts: 1, timeoutMs: 20 }).info(), {
      name: "RuntimeConnectionError",
      message: /in time/,
    });
    await assert.rejects(fake.client({ attempts: 1 }).threads.create({}, { timeoutMs: 20 }), RuntimeConnectionError);
  });
});

test("an abort ends a call with its reason, while it waits and before it is sent", async () => {
  const controller = new AbortController();
  const reason = new Error("enough");
  const answer: Answer = () => controller.abort(reason);
  await withFake(answer, async (fake) => {
    const { signal } = controller;
    await assert.rejects(fake.client().threads.list({}, { signal }), (thrown) => thrown === reason);
    await assert.rejects(fake.client().threads.list({}, { signal }), (thrown) => thrown === reason);
    assert.equal(fake.heard.length, 1);
  });
});

test("an abort ends the wait between two attempts", async () => {
  const controller = new AbortController();
  const answer: Answer = (heard, response) => {
    hangsUp(heard, response);
    setImmediate(() => controller.abort());
  };
  await withFake(answer, async (fake) => {
    await assert.rejects(fake.client({ attempts: 1000 }).info({ signal: controller.signal }), { name: "AbortError" });
  });
});

test("the token stands in a header and nowhere else", async () => {
  const token = "secret-token-0123456789";
  const answer: Answer = (heard, response) => json(400, { error: { message: `bad: ${heard.headers.authorization}`, status: 400 } })(heard, response);
  await withFake(answer, async (fake) => {
    const client = createRuntimeClient({ baseUrl: `${fake.baseUrl}/`, token });
    for (const use of [
      () => client.threads.list({ limit: 3 }),
      () => client.threads.events("thr_1").next(),
      () => client.fleetEvents("run_1").next(),
    ]) {
      await assert.rejects(use, (thrown) => {
        assert.ok(thrown instanceof RuntimeApiError);
        assert.ok(!JSON.stringify([thrown.message, thrown.stack, thrown]).includes(token));
        return true;
      });
    }
    for (const heard of fake.heard) {
      assert.equal(heard.headers.authorization, `Bearer ${token}`);
      assert.ok(!heard.url.includes(token));
    }
  });
});

test("options that would give a secret away are refused without repeating it", () => {
  for (const options of [
    { token: "line-end-in-it\n" },
    { token: "schlüssel" },
    { baseUrl: "http://user:password@127.0.0.1:1" },
    { baseUrl: "http://127.0.0.1:1/?token=line-end-in-it" },
    { baseUrl: "password" },
    { baseUrl: "file:///password" },
  ]) {
    assert.throws(() => createRuntimeClient(options), (thrown) => {
      assert.ok(thrown instanceof TypeError);
      assert.doesNotMatch(thrown.message, /line-end-in-it|schlüssel|password/);
      return true;
    });
  }
});

test("ids are parts of a path, whatever they hold", async () => {
  await withFake(json(200, {}), async (fake) => {
    const client = fake.client();
    await client.threads.get("a/b?c#d é");
    assert.equal(fake.heard[0]?.url, "/v1/threads/a%2Fb%3Fc%23d%20%C3%A9");
    for (const id of ["", ".", ".."]) assert.throws(() => client.threads.get(id), TypeError);
    await assert.rejects(client.threads.create({}, { idempotencyKey: "zwei worte" }), TypeError);
    assert.equal(fake.heard.length, 1);
  });
});

test("nobody is sent elsewhere with a token", async () => {
  await withFake((_, response) => void response.writeHead(302, { Location: "http://127.0.0.1:9/" }).end(), async (fake) => {
    await assert.rejects(fake.client({ attempts: 1 }).info(), RuntimeConnectionError);
    assert.equal(fake.heard.length, 1);
  });
});

test("a path of one's own cannot lead to another server", async () => {
  await withFake(json(200, {}), async (fake) => {
    assert.throws(() => fake.client().request("GET", "@127.0.0.1:9/v1/threads"), TypeError);
    await fake.client().request("GET", "//127.0.0.1:9/v1/threads");
    assert.equal(fake.heard[0]?.url, "//127.0.0.1:9/v1/threads");
  });
});

test("a prefix of the address is kept", async () => {
  await withFake(json(200, {}), async (fake) => {
    await createRuntimeClient({ baseUrl: `${fake.baseUrl}/behind/a/proxy/` }).threads.list({ limit: 2, archived_only: true });
    assert.equal(fake.heard[0]?.url, "/behind/a/proxy/v1/threads?limit=2&archived_only=true");
    assert.equal(fake.heard[0]?.headers.authorization, undefined);
  });
});
