// The questions of a turn, put to the caller and answered. Events go on meanwhile, so that a question
// that somebody else settles is taken back.

import { RuntimeApiError } from "./errors.js";
import { ATTEMPTS_MAX } from "./limits.js";
import type { QuestionContext, RunParts, RunTurnOptions } from "./run-turn.js";
import type { ThreadEvent } from "./thread-event.js";
import { isPassing } from "./transport.js";
import { delayMs, pause } from "./wait.js";

export class Questions {
  readonly #parts: RunParts;
  readonly #threadId: string;
  readonly #options: RunTurnOptions;
  /** Those that wait, by their ids. */
  readonly #open = new Map<string, AbortController>();
  #fail: (error: unknown) => void = () => {};
  readonly #failed: Promise<never>;

  constructor(parts: RunParts, threadId: string, options: RunTurnOptions) {
    this.#parts = parts;
    this.#threadId = threadId;
    this.#options = options;
    this.#failed = new Promise((_, reject) => (this.#fail = reject));
    // Whoever waits hears of it; when nobody does, it is not unhandled.
    this.#failed.catch(() => {});
  }

  /** What was waited for, or the failure of an answer. */
  failedOr<T>(awaited: Promise<T>): Promise<T> {
    return Promise.race([this.#failed, awaited]);
  }

  take(event: ThreadEvent): void {
    const { onApproval, onUserInput } = this.#options;
    switch (event.event) {
      case "approval.required": {
        const request = event.payload;
        if (onApproval === undefined) break;
        this.#ask(request.approval_id, async (context) => {
          const answer = await onApproval(request, context);
          if (answer === undefined) return undefined;
          return () => this.#parts.approvals.decide(request.approval_id, answer, context);
        });
        break;
      }
      case "user_input.required": {
        const { id, request } = event.payload;
        if (onUserInput === undefined) break;
        this.#ask(id, async (context) => {
          const answers = await onUserInput(request, context);
          if (answers === undefined) return undefined;
          return () => this.#parts.userInput.answer(this.#threadId, id, answers, context);
        });
        break;
      }
      case "approval.decided":
      case "approval.timeout":
        this.#settle(event.payload.approval_id);
        break;
      case "user_input.answered":
      case "user_input.canceled":
        this.#settle(event.payload.id);
        break;
    }
  }

  /** Takes all of them back. */
  close(): void {
    for (const id of [...this.#open.keys()]) this.#settle(id);
  }

  #settle(id: string): void {
    this.#open.get(id)?.abort();
    this.#open.delete(id);
  }

  #ask(id: string, ask: (context: QuestionContext) => Promise<(() => Promise<unknown>) | undefined>): void {
    // A loop that was left and taken up again does not ask twice.
    if (this.#open.has(id)) return;
    const controller = new AbortController();
    this.#open.set(id, controller);
    const { signal } = controller;
    const asked = async () => {
      const answer = await ask({ threadId: this.#threadId, signal });
      if (answer !== undefined) await delivered(answer, signal);
    };
    asked().catch((error: unknown) => {
      // What comes of a question that is settled is of no interest.
      if (!signal.aborted) this.#fail(error);
    });
  }
}

/** Sends an answer until it has arrived or is not needed any more. The first one counts, so that
 * sending it again does no harm. */
async function delivered(answer: () => Promise<unknown>, signal: AbortSignal): Promise<void> {
  for (let failures = 1; !signal.aborted; failures += 1) {
    try {
      await answer();
      return;
    } catch (error) {
      if (isSettled(error)) return;
      if (failures >= ATTEMPTS_MAX || !isPassing(error)) throw error;
      await pause(delayMs(failures), signal);
    }
  }
}

/** Whether somebody else, or the clock, was faster. */
function isSettled(error: unknown): boolean {
  return error instanceof RuntimeApiError && (error.status === 404 || error.status === 409);
}
