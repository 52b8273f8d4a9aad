// A server of a test's own, for what a real one does not do on demand.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createRuntimeClient, type RuntimeClient, type RuntimeClientOptions } from "@codewhale/runtime-sdk";

/** A request as it arrived. */
export interface Heard {
  method: string;
  url: string;
  headers: IncomingMessage["headers"];
  body: string;
}

export type Answer = (heard: Heard, response: ServerResponse) => void;

export class Fake {
  readonly #server: Server;
  readonly heard: Heard[] = [];

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(answer: Answer): Promise<Fake> {
    const server = createServer();
    const fake = new Fake(server);
    server.on("request", (request, response) => {
      let body = "";
      request.on("data", (piece) => (body += piece));
      request.on("end", () => {
        const { method = "", url = "", headers } = request;
        const heard = { method, url, headers, body };
        fake.heard.push(heard);
        answer(heard, response);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    // A test that fails does not get to stop it.
    server.unref();
    return fake;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  client(options: RuntimeClientOptions = {}): RuntimeClient {
    return createRuntimeClient({ baseUrl: this.baseUrl, token: "fake-token", ...options });
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

/** Answers with JSON. */
export function json(status: number, value: unknown): Answer {
  return (_, response) => {
    response.writeHead(status, { "Content-Type": "application/json" });
    response.end(JSON.stringify(value));
  };
}

/** Answers each request by the next of these; the last one counts for all that follow. */
export function inTurn(...answers: Answer[]): Answer {
  let next = 0;
  return (heard, response) => {
    const answer = answers[Math.min(next, answers.length - 1)];
    next += 1;
    answer?.(heard, response);
  };
}

/** Breaks the connection off. */
export const hangsUp: Answer = (_, response) => void response.destroy();

/** Begins an event stream with these texts and leaves it open. */
export function streams(...texts: string[]): Answer {
  return (_, response) => {
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    texts.forEach((text) => response.write(text));
    // Without a byte the head would wait too.
    response.flushHeaders();
  };
}

/** The same, and ends it. */
export function streamsAndEnds(...texts: string[]): Answer {
  return (heard, response) => {
    streams(...texts)(heard, response);
    response.end();
  };
}

/** A frame of a thread with an event at this place. */
export function frame(seq: number, previous: number | undefined, more: object = {}): string {
  const event = { seq, previous_seq: previous, event: "item.delta", thread_id: "thr_1", turn_id: null, item_id: null, payload: {}, ...more };
  return `id: ${seq}\nevent: ${event.event}\ndata: ${JSON.stringify(event)}\n\n`;
}
