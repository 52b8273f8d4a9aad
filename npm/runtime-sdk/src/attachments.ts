// Pictures and sounds of a thread, for its turns to show to a model.

import { Noun } from "./noun.js";
import type { CallOptions, OnceOptions } from "./options.js";
import { path } from "./request.js";
import type { Body } from "./schema.js";

export class Attachments extends Noun {
  /** Attaches a picture or a sound. A turn then names its `id` in `input`. */
  add(threadId: string, body: Body<"attachments/add">, options?: OnceOptions) {
    return this.once<"attachments/add">(path`/v1/threads/${threadId}/attachments`, body, options);
  }

  /** Reads one with its content. */
  get(threadId: string, attachmentId: string, options?: CallOptions) {
    const route = path`/v1/threads/${threadId}/attachments/${attachmentId}`;
    return this.look<"attachments/get">(route, undefined, options);
  }
}
