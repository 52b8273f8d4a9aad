// One turn from its start to its end: its events, answers to its questions, its last words.
//
// What was seen stands in the run, not in the loop over it: a loop that is left can be taken up again,
// and `finished` goes on where it was left.

import type { ApprovalAnswer, Approvals, Decision } from "./approvals.js";
import { RuntimeError } from "./errors.js";
import type { FollowOptions } from "./follow.js";
import type { CallOptions, OnceOptions } from "./options.js";
import { Questions } from "./questions.js";
import type { Body, TurnRecord, TurnStatus, UserInputAnswer, UserInputRequest } from "./schema.js";
import type { ApprovalRequest, ThreadEvent } from "./thread-event.js";
import type { Threads } from "./threads.js";
import { TurnText } from "./turn-text.js";
import type { Turns } from "./turns.js";
import type { UserInput } from "./user-input.js";
import { Leash } from "./wait.js";

export interface RunTurnOptions extends OnceOptions, Omit<FollowOptions, "signal"> {
  /** Whether a call may run. Without an answer somebody else may give one. The signal tells that no
   * answer is needed any more. */
  readonly onApproval?: (
    request: ApprovalRequest,
    context: QuestionContext,
  ) => Promise<Decision | ApprovalAnswer | undefined> | Decision | ApprovalAnswer | undefined;
  /** Answers questions of the agent. */
  readonly onUserInput?: (
    request: UserInputRequest,
    context: QuestionContext,
  ) => Promise<UserInputAnswer[] | undefined> | UserInputAnswer[] | undefined;
}

export interface QuestionContext {
  readonly threadId: string;
  /** Fires when the question is settled in another way, or the run is given up. */
  readonly signal: AbortSignal;
}

/** How a turn ended. */
export interface TurnResult {
  readonly threadId: string;
  readonly turn: TurnRecord;
  /** `completed`; or `failed`, `interrupted`, `canceled`, of which `turn.error` tells more. */
  readonly status: TurnStatus;
  /** The last message of the agent, as far as it came; empty without one. */
  readonly text: string;
}

/** The parts of a client that a run needs. */
export interface RunParts {
  readonly threads: Threads;
  readonly turns: Turns;
  readonly approvals: Approvals;
  readonly userInput: UserInput;
}

export class TurnRun implements AsyncIterable<ThreadEvent> {
  readonly threadId: string;
  readonly #parts: RunParts;
  readonly #body: Body<"turns/start">;
  readonly #options: RunTurnOptions;
  readonly #questions: Questions;
  readonly #text = new TurnText();
  #started: Promise<string> | undefined;
  #cursor = 0;
  #hasBegun = false;
  #result: TurnResult | undefined;
  /** Settles when the loop that runs now is left. */
  #loop: Promise<void> | undefined;

  constructor(parts: RunParts, threadId: string, body: Body<"turns/start">, options: RunTurnOptions) {
    this.#parts = parts;
    this.threadId = threadId;
    this.#body = body;
    this.#options = options;
    this.#questions = new Questions(parts, threadId, options);
  }

  /** The id of the turn, once it is stored. Starts it if nothing else did. */
  started(): Promise<string> {
    this.#started ??= this.#start();
    return this.#started;
  }

  /** The events of the turn, up to its end. One loop at a time. */
  [Symbol.asyncIterator](): AsyncGenerator<ThreadEvent, void, undefined> {
    return this.#events();
  }

  /** How the turn ended. Follows it to its end if nobody else does. */
  async finished(): Promise<TurnResult> {
    while (this.#result === undefined) {
      if (this.#loop !== undefined) await this.#loop;
      else for await (const _ of this.#events());
    }
    return this.#result;
  }

  /** Tells the turn to stop; its end arrives as an event. */
  async interrupt(options?: CallOptions): Promise<void> {
    await this.#parts.turns.interrupt(this.threadId, await this.started(), options);
  }

  /** The place in the log is taken before the start: nothing of the turn can be missed. */
  async #start(): Promise<string> {
    const { signal } = this.#options;
    const { latest_seq, turns } = await this.#parts.threads.get(this.threadId, { signal });
    const { turn } = await this.#parts.turns.start(this.threadId, this.#body, this.#options);
    // A key that was used before leads to a turn that is there already, perhaps ended.
    this.#cursor = turns.some(({ id }) => id === turn.id) ? 0 : latest_seq;
    return turn.id;
  }

  async *#events(): AsyncGenerator<ThreadEvent, void, undefined> {
    if (this.#loop !== undefined) throw new RuntimeError("this run is being followed already");
    let leave = () => {};
    this.#loop = new Promise((resolve) => (leave = resolve));
    try {
      const turnId = await this.started();
      if (this.#result === undefined) yield* this.#follow(turnId);
    } finally {
      this.#loop = undefined;
      leave();
    }
  }

  async *#follow(turnId: string): AsyncGenerator<ThreadEvent, void, undefined> {
    const leash = new Leash(this.#options.signal);
    const options = { ...this.#options, signal: leash.signal, sinceSeq: this.#cursor };
    const events = this.#parts.threads.events(this.threadId, options);
    try {
      for (;;) {
        const { done, value: event } = await this.#questions.failedOr(events.next());
        if (done) break;
        this.#cursor = event.seq;
        if (!this.#isOurs(event, turnId)) continue;
        this.#take(event, turnId);
        yield event;
        if (this.#result !== undefined) return;
      }
      this.#options.signal?.throwIfAborted();
    } finally {
      // Also ends a wait for an event that nobody wants any more.
      leash.close();
      if (this.#result !== undefined || this.#options.signal?.aborted) this.#questions.close();
    }
  }

  /** What belongs to no turn counts from the start of ours on. */
  #isOurs(event: ThreadEvent, turnId: string): boolean {
    this.#hasBegun ||= event.turn_id === turnId;
    return event.turn_id === turnId || (event.turn_id === null && this.#hasBegun);
  }

  #take(event: ThreadEvent, turnId: string): void {
    this.#text.take(event);
    this.#questions.take(event);
    if (event.event !== "turn.completed" || event.turn_id !== turnId) return;
    const { turn } = event.payload;
    const text = this.#text.last(turn.final_item_id ?? undefined);
    this.#result = { threadId: this.threadId, turn, status: turn.status, text };
  }
}
