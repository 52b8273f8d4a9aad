// Writes the types of the server, then compiles src/ into dist/esm and dist/cjs.

import { execFileSync } from "node:child_process";
import { rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import "./gen.mjs";
import { tsc } from "./tsc.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const compile = (project) => execFileSync(process.execPath, [tsc, "--project", project], { cwd: root, stdio: "inherit" });

await rm(new URL("../dist", import.meta.url), { recursive: true, force: true });
compile("tsconfig.json");
compile("tsconfig.cjs.json");
// Tells Node that these files are not modules, whatever the package says.
await writeFile(new URL("../dist/cjs/package.json", import.meta.url), '{"type":"commonjs"}\n');
