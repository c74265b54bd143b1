/** Small cases for each keyword, in the manner of the JSON Schema test suite, written for this project. */
import { fileURLToPath } from "node:url";
import type { SchemaCase } from "./cases.ts";
import { readCaseFolder } from "./corpus.ts";

export function readSuite(): readonly SchemaCase[] {
  return readCaseFolder(fileURLToPath(new URL("suite/", import.meta.url)));
}
