// Builds, compiles the tests and runs them against the real program: CODEWHALE_BIN, or else what cargo
// builds now.

import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { tsc } from "./tsc.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

function run(program, words, environment = {}) {
  const env = { ...process.env, ...environment };
  const { status, error } = spawnSync(program, words, { cwd: root, env, stdio: "inherit" });
  if (error) console.error(`${program} does not start: ${error.message}`);
  if (status !== 0) process.exit(status ?? 1);
}

function built() {
  const words = ["build", "--locked", "--package", "codewhale-cli", "--message-format", "json"];
  const { status, error, stdout } = spawnSync("cargo", words, {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 2 ** 28,
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (error || status !== 0) {
    console.error("the program to test is missing; name it in CODEWHALE_BIN, or install Rust so that it can be built");
    process.exit(1);
  }
  const messages = stdout.split("\n").filter(Boolean).map((line) => JSON.parse(line));
  return messages.find((message) => message.executable && message.target.name === "codewhale").executable;
}

const tests = () => {
  const folder = join(root, "dist-test");
  return readdirSync(folder).filter((name) => name.endsWith(".test.js")).map((name) => join(folder, name));
};

const CODEWHALE_BIN = process.env.CODEWHALE_BIN || built();
run(process.execPath, ["scripts/build.mjs"]);
run(process.execPath, [tsc, "--project", "tsconfig.test.json"]);
run(process.execPath, ["--test", "--test-reporter", "spec", ...process.argv.slice(2), ...tests()], { CODEWHALE_BIN });
