// What the parts of a client have in common: one line for each operation.

import type { OnceOptions } from "./options.js";
import type { Method, Request } from "./request.js";
import type { operations } from "./openapi.js";
import type { Answer } from "./schema.js";
import type { Transport } from "./transport.js";

/** What goes along with a request. */
type Input = Pick<Request, "query" | "body">;

export abstract class Noun {
  protected readonly transport: Transport;

  constructor(transport: Transport) {
    this.transport = transport;
  }

  /** Looks. */
  protected look<Name extends keyof operations>(path: string, query: object | undefined, options?: OnceOptions) {
    return this.#call<Name>({ method: "GET", path, query, repeat: "freely" }, options);
  }

  /** Makes or starts something, once. */
  protected once<Name extends keyof operations>(path: string, body: unknown, options?: OnceOptions) {
    return this.#call<Name>({ method: "POST", path, body, repeat: "keyed" }, options);
  }

  /** Comes to the same however often it is sent. */
  protected same<Name extends keyof operations>(
    method: Method,
    path: string,
    input: Input = {},
    options?: OnceOptions,
  ) {
    return this.#call<Name>({ method, path, ...input, repeat: "freely" }, options);
  }

  /** Must not be sent again by itself: the second time it would do or answer something else. */
  protected alone<Name extends keyof operations>(
    method: Method,
    path: string,
    input: Input = {},
    options?: OnceOptions,
  ) {
    return this.#call<Name>({ method, path, ...input, repeat: "never" }, options);
  }

  #call<Name extends keyof operations>(request: Request, options: OnceOptions | undefined) {
    return this.transport.call(request, options) as Promise<Answer<Name>>;
  }
}
