// The settings of the server.

import { Noun } from "./noun.js";
import type { CallOptions } from "./options.js";
import type { Body } from "./schema.js";

export class Config extends Noun {
  /** Those that count. Secrets are told as set. */
  get(options?: CallOptions) {
    return this.look<"config/get">("/v1/config", undefined, options);
  }

  /** Gives one another value: until the program ends, or for good with `persist`. */
  set(body: Body<"config/set">, options?: CallOptions) {
    return this.same<"config/set">("POST", "/v1/config", { body }, options);
  }

  /** Has the file read again. A broken one changes nothing. */
  reload(options?: CallOptions) {
    return this.same<"config/reload">("POST", "/v1/config/reload", {}, options);
  }
}
