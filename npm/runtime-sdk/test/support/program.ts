// The real program, serving in a home of its own.

import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRuntimeClient, type RuntimeClient, type RuntimeClientOptions } from "@codewhale/runtime-sdk";
import { Model } from "./model.js";

export const TOKEN = "token-of-the-tests-0123456789";

/** A model, a home that knows it, and a program that serves. */
export class Scene {
  readonly model: Model;
  readonly #directory = mkdtempSync(join(tmpdir(), "codewhale-sdk-"));
  #program: ChildProcess | undefined;
  #port = 0;

  private constructor(model: Model) {
    this.model = model;
    mkdirSync(this.home);
    mkdirSync(this.workspace);
  }

  static async open(tables = ""): Promise<Scene> {
    const scene = new Scene(await Model.start());
    writeFileSync(join(scene.home, "config.toml"), scene.#config(tables));
    await scene.start();
    return scene;
  }

  get home(): string {
    return join(this.#directory, "home");
  }

  get workspace(): string {
    return join(realpathSync(this.#directory), "workspace");
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  client(options: RuntimeClientOptions = {}): RuntimeClient {
    return createRuntimeClient({ baseUrl: this.baseUrl, token: TOKEN, ...options });
  }

  /** Serves, on the same port as before. */
  async start(): Promise<void> {
    const program = spawn(binary(), ["app-server", "--http", "--port", String(this.#port)], {
      cwd: this.workspace,
      env: {
        PATH: process.env["PATH"],
        HOME: this.home,
        CODEWHALE_HOME: this.home,
        CODEWHALE_RUNTIME_TOKEN: TOKEN,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#program = program;
    this.#port = await listening(program);
  }

  /** kill -9. */
  async kill(): Promise<void> {
    const program = this.#program;
    assert.ok(program, "the program runs");
    this.#program = undefined;
    const ended = once(program, "exit");
    program.kill("SIGKILL");
    await ended;
  }

  async close(): Promise<void> {
    if (this.#program !== undefined) await this.kill();
    this.model.stop();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  #config(tables: string): string {
    return `provider = "script"

[providers.script]
kind = "openai-compatible"
base_url = "${this.model.baseUrl}"
api_key = "key-of-the-tests-0123456789"
model = "scripted"

[retry]
max_retries = 1
initial_delay = 0.01
max_delay = 0.02

${tables}`;
  }
}

/** The port that it tells; all that it says is read, so that no pipe fills up. */
function listening(program: ChildProcess): Promise<number> {
  let said = "";
  return new Promise((resolve, reject) => {
    const hear = (piece: Buffer) => {
      said += piece.toString();
      const port = /listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(said)?.[1];
      if (port !== undefined) resolve(Number(port));
    };
    program.stdout?.on("data", hear);
    program.stderr?.on("data", hear);
    program.on("error", reject);
    program.on("exit", () => reject(new Error(`the program does not serve: ${said}`)));
  });
}

function binary(): string {
  const path = process.env["CODEWHALE_BIN"];
  assert.ok(path, "CODEWHALE_BIN names the program to test; `npm test` sets it");
  return path;
}
