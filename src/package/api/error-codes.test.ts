/** The documents list every error code. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { errorCodes } from "../../core/base/error-codes.ts";

test("docs/http.md names each code", () => {
  const page = readFileSync("docs/http.md", "utf8");
  expect(errorCodes.filter((code) => !page.includes(`\`${code}\``))).toEqual([]);
});
