// A request, before it is sent.

import type { Capability } from "./errors.js";

/** How often it may be sent when nobody knows whether it arrived. */
export type Repeat =
  /** As often as one likes: it looks, or comes to the same. */
  | "freely"
  /** As often as one likes, with a key. */
  | "keyed"
  /** Once. */
  | "never";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface Request {
  readonly method: Method;
  /** Built by `path`. */
  readonly path: string;
  readonly repeat: Repeat;
  readonly query?: object | undefined;
  readonly body?: unknown;
  /** What a server without this route lacks. */
  readonly capability?: Capability;
}

/** A path whose parameters are encoded: path`/v1/threads/${id}`. */
export function path(parts: TemplateStringsArray, ...parameters: string[]): string {
  let text = parts[0] ?? "";
  parameters.forEach((parameter, index) => {
    text += encoded(parameter) + (parts[index + 1] ?? "");
  });
  return text;
}

/** Addresses take `.` and `..` for directions, and would lead to another route. */
function encoded(parameter: string): string {
  if (typeof parameter !== "string" || parameter === "" || parameter === "." || parameter === "..") {
    throw new TypeError(`${JSON.stringify(parameter) ?? "undefined"} is no id`);
  }
  return encodeURIComponent(parameter);
}

/** The query with its question mark; members that are undefined or null are left out. */
export function queryText(query: object | undefined): string {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined && value !== null) pairs.append(name, String(value));
  }
  const text = pairs.toString();
  return text === "" ? "" : `?${text}`;
}

/** A key that no other request has. It need not be secret: it counts for one token only. */
export function newKey(): string {
  const uuid = globalThis.crypto?.randomUUID?.();
  if (uuid !== undefined) return uuid;
  const word = () => Math.floor(Math.random() * 2 ** 32).toString(16).padStart(8, "0");
  return word() + word() + word() + word();
}

/** Headers of other characters would be refused with a text that shows them. */
export function checkKey(key: string): string {
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw new TypeError("idempotencyKey must be 1 to 255 visible ASCII characters");
  }
  return key;
}
