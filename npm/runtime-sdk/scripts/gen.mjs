// Writes src/openapi.ts from the OpenAPI document of the server. With --check it writes nothing, and
// fails when the committed file says something else than the document.

import { readFile, writeFile } from "node:fs/promises";
import openapiTS, { astToString } from "openapi-typescript";

const DOCUMENT = new URL("../../../generated/openapi.json", import.meta.url);
const TYPES = new URL("../src/openapi.ts", import.meta.url);
const HEAD = "// Generated from generated/openapi.json by `npm run gen`; do not edit.\n\n";

async function freshTypes() {
  const document = JSON.parse(await readFile(DOCUMENT, "utf8"));
  // A member with a default may be left out of a request.
  const tree = await openapiTS(document, { alphabetize: true, defaultNonNullable: false });
  return HEAD + astToString(tree);
}

async function committedTypes() {
  return readFile(TYPES, "utf8").catch((error) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });
}

const fresh = await freshTypes();
if (fresh !== (await committedTypes())) {
  if (process.argv.includes("--check")) {
    console.error("src/openapi.ts is out of date; write it with: npm run gen --workspace @codewhale/runtime-sdk");
    process.exitCode = 1;
  } else {
    await writeFile(TYPES, fresh);
    console.log("wrote src/openapi.ts");
  }
}
