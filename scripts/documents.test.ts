/** What SECURITY.md says of walls and tests can be looked up: the files that it names are there. */
import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

test("every file that SECURITY.md names exists", () => {
  const named = [...readFileSync("SECURITY.md", "utf8").matchAll(/`((?:src|e2e|scripts)\/[^`]+)`/g)].map(
    ([, path = ""]) => path,
  );
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((path) => !existsSync(path))).toEqual([]);
});
