// Providers of models, and which one new threads use.

import { Noun } from "./noun.js";
import type { CallOptions } from "./options.js";
import { path } from "./request.js";
import type { Body } from "./schema.js";

export class Providers extends Noun {
  list(options?: CallOptions) {
    return this.look<"providers/list">("/v1/providers", undefined, options);
  }

  /** The models that are known of one. */
  models(providerId: string, options?: CallOptions) {
    return this.look<"providers/models">(path`/v1/providers/${providerId}/models`, undefined, options);
  }

  /** Makes it the one that new threads use, and keeps that. Threads there are keep theirs. */
  switch(providerId: string, body: Body<"providers/switch"> = {}, options?: CallOptions) {
    return this.same<"providers/switch">("POST", path`/v1/providers/${providerId}/switch`, { body }, options);
  }
}
