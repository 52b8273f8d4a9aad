// What can go wrong, as classes: callers tell errors apart by `instanceof` and by `code`, never by
// their text.

/** What every error of this package is. */
export class RuntimeError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "RuntimeError";
  }
}

/** What a refusal says. */
export interface Refusal {
  /** The HTTP status. */
  readonly status: number;
  /** What is wrong, for programs; absent when the server did not say. */
  readonly code: string | undefined;
  /** What is wrong and what to do, for people. */
  readonly message: string;
  /** The present state, where that helps. */
  readonly data: unknown;
}

/** The server understood and refused, or failed to do it. */
export class RuntimeApiError extends RuntimeError implements Refusal {
  readonly status: number;
  readonly code: string | undefined;
  readonly data: unknown;

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.name = "RuntimeApiError";
    this.status = refusal.status;
    this.code = refusal.code;
    this.data = refusal.data;
  }
}

/** What a server may lack. The strings are stable. */
export type Capability =
  | "fleet_run_create"
  | "fleet_run_start"
  | "fleet_event_replay"
  | "fleet_event_stream";

/** This server has no such capability; a newer one may have it. */
export class RuntimeCapabilityError extends RuntimeApiError {
  readonly capability: Capability;

  constructor(capability: Capability, refusal: Refusal) {
    super({ ...refusal, message: `this server lacks ${capability}: ${refusal.message}` });
    this.name = "RuntimeCapabilityError";
    this.capability = capability;
  }
}

/** There was no answer, or it broke off. Whether something was done is not known, unless `unsent`. */
export class RuntimeConnectionError extends RuntimeError {
  /** True when the request cannot have reached the server. */
  readonly unsent: boolean;

  constructor(message: string, options: ErrorOptions & { unsent?: boolean } = {}) {
    super(message, options);
    this.name = "RuntimeConnectionError";
    this.unsent = options.unsent ?? false;
  }
}

/** The server said something that nobody understands: it is no CodeWhale, or too old or too new. */
export class RuntimeProtocolError extends RuntimeError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "RuntimeProtocolError";
  }
}
