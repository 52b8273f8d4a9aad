// Waiting: for a while, and never longer than the caller wants.

import { DELAY_MAX_MS, DELAY_MIN_MS, LISTEN_MS } from "./limits.js";

/** The wait before the attempt behind so many failures. Half of it is chance, so that clients that
 * lost the same server do not come back all at once. */
export function delayMs(failures: number, chance: number = Math.random()): number {
  const whole = Math.min(DELAY_MAX_MS, DELAY_MIN_MS * 2 ** Math.max(0, failures - 1));
  return whole / 2 + (whole / 2) * chance;
}

/** Waits so long; rejects with the signal's reason when that comes first. */
export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

/** A signal of our own that follows the caller's. Closing it ends what runs under it. */
export class Leash {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #follow = () => this.#controller.abort(this.#outer?.reason);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isLate = false;

  constructor(outer: AbortSignal | undefined) {
    outer?.throwIfAborted();
    this.#outer = outer;
    outer?.addEventListener("abort", this.#follow, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether the time was up. */
  get isLate(): boolean {
    return this.#isLate;
  }

  /** Gives it so long from now on. */
  within(ms: number): void {
    this.untimed();
    const late = () => {
      this.#isLate = true;
      this.#controller.abort();
    };
    this.#timer = setTimeout(() => (this.#timer = setTimeout(late, LISTEN_MS)), ms);
  }

  /** Lets it take its time again. */
  untimed(): void {
    clearTimeout(this.#timer);
  }

  /** Lets go of the caller's signal and of the clock. */
  release(): void {
    this.untimed();
    this.#outer?.removeEventListener("abort", this.#follow);
  }

  /** Ends what runs under it. */
  close(): void {
    this.release();
    this.#controller.abort();
  }
}
