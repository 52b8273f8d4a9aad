// The compiler, which `npm ci` installs.

import { createRequire } from "node:module";

function found() {
  try {
    return createRequire(import.meta.url).resolve("typescript/bin/tsc");
  } catch {
    console.error("the compiler is missing; install it with `npm ci` at the root of the repository");
    return process.exit(1);
  }
}

export const tsc = found();
