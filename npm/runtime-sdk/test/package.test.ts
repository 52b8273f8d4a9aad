// The package as those see it who install it.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import { promisify } from "node:util";
import * as modules from "@codewhale/runtime-sdk";
import { says } from "./support/model.js";
import { Scene, TOKEN } from "./support/program.js";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const require = createRequire(import.meta.url);

/** Runs a text as a program that lives inside the package, so that it finds it by its name. */
async function run(name: string, text: string, environment: Record<string, string>): Promise<string> {
  const folder = mkdtempSync(join(ROOT, "dist-test", "example-"));
  try {
    writeFileSync(join(folder, name), text);
    const { stdout } = await promisify(execFile)(process.execPath, [join(folder, name)], {
      env: { ...process.env, ...environment },
    });
    return stdout;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("require and import give the same names", () => {
  const required = require("@codewhale/runtime-sdk") as typeof modules;
  assert.deepEqual(Object.keys(required).sort(), Object.keys(modules).sort());
  assert.ok(required.createRuntimeClient() instanceof required.RuntimeClient);
});

test("the package depends on nothing", () => {
  const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as Record<string, unknown>;
  for (const kind of ["dependencies", "peerDependencies", "optionalDependencies"]) assert.equal(manifest[kind], undefined);
  assert.equal(manifest["license"], "MIT");
});

test("the example of the readme works", async () => {
  const readme = readFileSync(join(ROOT, "README.md"), "utf8");
  const examples = [...readme.matchAll(/```js test\n([^]*?)```/g)].map(([, example]) => example ?? "");
  assert.equal(examples.length, 1);
  const scene = await Scene.open();
  try {
    scene.model.script(says("There are ", "none."));
    const environment = { CODEWHALE_URL: scene.baseUrl, CODEWHALE_RUNTIME_TOKEN: TOKEN };
    assert.equal(await run("example.mjs", examples[0] ?? "", environment), "There are none.\ncompleted: 15 characters\n");
  } finally {
    await scene.close();
  }
});
