// What a server answered, read.

import {
  RuntimeApiError,
  RuntimeCapabilityError,
  RuntimeProtocolError,
  type Capability,
  type Refusal,
} from "./errors.js";
import { FOREIGN_CHARS_MAX } from "./limits.js";

/** A success as JSON; 204, and a 202 that says nothing more, is null. */
export function readSuccess(status: number, text: string): unknown {
  if (status === 204 || (status === 202 && text === "")) return null;
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new RuntimeProtocolError(
      `the answer (${status}) is no JSON; does baseUrl lead to a CodeWhale server?`,
      { cause },
    );
  }
}

/** A refusal as the error to throw. `mask` takes secrets out of texts that are not ours. */
export function readRefusal(
  status: number,
  text: string,
  capability: Capability | undefined,
  mask: (text: string) => string,
): RuntimeApiError {
  const refusal = refusalOf(status, text, mask);
  if (capability !== undefined && lacksRoute(refusal)) {
    return new RuntimeCapabilityError(capability, refusal);
  }
  return new RuntimeApiError(refusal);
}

/** A 404 that names what was not found comes from a server that has the route. */
function lacksRoute(refusal: Refusal): boolean {
  const { status, code } = refusal;
  return status === 405 || status === 501 || (status === 404 && code !== "not_found");
}

function refusalOf(status: number, text: string, mask: (text: string) => string): Refusal {
  const body = record(parsed(text));
  const error = record(body["error"]);
  const said = [error["message"], body["message"], text].find(
    (words): words is string => typeof words === "string" && words.trim() !== "",
  );
  return {
    status,
    code: typeof error["code"] === "string" ? error["code"] : undefined,
    message: mask(cut(said ?? `the server answered ${status}`)),
    data: error["data"],
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function record(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function cut(text: string): string {
  return text.length > FOREIGN_CHARS_MAX ? `${text.slice(0, FOREIGN_CHARS_MAX)}…` : text;
}
