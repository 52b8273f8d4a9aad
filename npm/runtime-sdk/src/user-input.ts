// Questions of the agent.

import { Noun } from "./noun.js";
import type { CallOptions } from "./options.js";
import { path } from "./request.js";
import type { UserInputAnswer } from "./schema.js";

export class UserInput extends Noun {
  /** Answers; free text has the label `Other`. The answers reach the model and are kept nowhere. */
  answer(threadId: string, inputId: string, answers: UserInputAnswer[], options?: CallOptions) {
    const route = path`/v1/user-input/${threadId}/${inputId}`;
    return this.alone<"user-input/answer">("POST", route, { body: { answers } }, options);
  }
}
