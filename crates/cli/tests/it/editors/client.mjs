// Drives a session with the JavaScript SDK: client.mjs SDK PROGRAM WORKSPACE.

import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";

const [sdk, program, workspace] = process.argv.slice(2);
const { client, ndJsonStream } = await import(sdk);

const child = spawn(program, ["serve", "--acp"], { stdio: ["pipe", "pipe", "inherit"] });
const stream = ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout));
await client({ name: "test" })
  .onRequest("session/request_permission", ({ params }) => {
    const once = params.options.find((it) => it.kind === "allow_once");
    return { outcome: { outcome: "selected", optionId: once.optionId } };
  })
  .onNotification("session/update", ({ params }) => {
    if (params.update.sessionUpdate === "agent_message_chunk") {
      console.log(params.update.content.text);
    }
  })
  .connectWith(stream, async (agent) => {
    await agent.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
    const session = await agent.request("session/new", { cwd: workspace, mcpServers: [] });
    const prompt = [{ type: "text", text: "write it" }];
    const answer = await agent.request("session/prompt", { sessionId: session.sessionId, prompt });
    console.log("stopped:", answer.stopReason);
    const listed = await agent.request("session/list", { cwd: workspace });
    if (listed.sessions[0].sessionId !== session.sessionId) {
      throw new Error("the session is not listed");
    }
  });
child.stdin.end();
await new Promise((ended) => child.once("exit", ended));
