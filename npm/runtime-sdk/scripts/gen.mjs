// Writes src/openapi.ts, the types of the Runtime API, from the OpenAPI document of the server. Nobody
// keeps it: each build makes it anew.

import { readFile, writeFile } from "node:fs/promises";
import openapiTS, { astToString } from "openapi-typescript";

const DOCUMENT = new URL("../../../generated/openapi.json", import.meta.url);
const TYPES = new URL("../src/openapi.ts", import.meta.url);

const document = JSON.parse(await readFile(DOCUMENT, "utf8"));
// A member with a default may be left out of a request.
const tree = await openapiTS(document, { alphabetize: true, defaultNonNullable: false });
await writeFile(TYPES, astToString(tree));
