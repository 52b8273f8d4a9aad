// A scripted model: speaks chat completions, and says what a test wrote down for it.

import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What is said to one request. */
export type Reply = (say: Speaker) => Promise<void> | void;

export interface Speaker {
  text(text: string): void;
  call(name: string, input: unknown): void;
  /** Settles when the other side is gone. */
  gone: Promise<void>;
}

export class Model {
  readonly #server: Server;
  readonly #replies: Reply[] = [];
  /** The bodies of all requests. */
  readonly requests: string[] = [];
  #allSaid: () => void = () => {};

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<Model> {
    const server = createServer();
    const model = new Model(server);
    server.on("request", (request, response) => {
      const pieces: Buffer[] = [];
      request.on("data", (piece: Buffer) => pieces.push(piece));
      request.on("end", () => void model.#answer(Buffer.concat(pieces).toString(), response));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return model;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  /** Answers the next requests in this order. */
  script(...replies: Reply[]): void {
    this.#replies.push(...replies);
  }

  /** Settles when all that was written down is being said. */
  async spoken(): Promise<void> {
    if (this.#replies.length > 0) await new Promise<void>((resolve) => (this.#allSaid = resolve));
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer(body: string, response: ServerResponse): Promise<void> {
    this.requests.push(body);
    const reply = this.#replies.shift() ?? says("Nothing was written down for this.");
    if (this.#replies.length === 0) this.#allSaid();
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    let calls = 0;
    const chunk = (delta: unknown, finish_reason: string | null) =>
      response.write(
        `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 0, model: "scripted", choices: [{ index: 0, delta, finish_reason }] })}\n\n`,
      );
    await reply({
      text: (content) => chunk({ content }, null),
      call: (name, input) => {
        const index = calls++;
        const call = { index, id: `call_${this.requests.length}_${index}`, type: "function" };
        chunk({ tool_calls: [{ ...call, function: { name, arguments: JSON.stringify(input) } }] }, null);
      },
      gone: new Promise((resolve) => response.on("close", resolve)),
    });
    chunk({}, calls === 0 ? "stop" : "tool_calls");
    response.end('data: {"choices":[],"usage":{"prompt_tokens":11,"completion_tokens":7,"total_tokens":18}}\n\ndata: [DONE]\n\n');
  }
}

/** Says these pieces. */
export function says(...pieces: string[]): Reply {
  return (say) => pieces.forEach((piece) => say.text(piece));
}

/** Calls a tool. */
export function calls(name: string, input: unknown): Reply {
  return (say) => say.call(name, input);
}

/** Says something, then nothing until the other side is gone. */
export function saysAndWaits(...pieces: string[]): Reply {
  return async (say) => {
    pieces.forEach((piece) => say.text(piece));
    await say.gone;
  };
}
