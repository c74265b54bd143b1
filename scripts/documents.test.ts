/** What the documents name is there, and no document is longer than it should be. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { clients } from "../e2e/package/clients/list.ts";

test("every file that SECURITY.md names exists", () => {
  const named = [...readFileSync("SECURITY.md", "utf8").matchAll(/`((?:src|e2e|scripts)\/[^`]+)`/g)].map(
    ([, path = ""]) => path,
  );
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((path) => !existsSync(path))).toEqual([]);
});

test("docs/clients.md has every client that the bench tries, with its version", () => {
  const text = readFileSync("docs/clients.md", "utf8");
  const missing = clients.filter(({ name, version }) => !text.includes(`| \`${name}\` ${version} |`));
  expect(missing.map(({ name, version }) => `${name} ${version}`)).toEqual([]);
  for (const { packages } of clients)
    if (packages["@ai-sdk/openai"])
      expect(text).toContain(`\`@ai-sdk/openai\` ${packages["@ai-sdk/openai"]}`);
});

const linesOf = (path: string): number => readFileSync(path, "utf8").trimEnd().split("\n").length;

test("docs/api is short enough to be read: each type is described once", () => {
  const reports = readdirSync("docs/api").map((name) => linesOf(`docs/api/${name}`));
  expect(reports.reduce((sum, lines) => sum + lines, 0)).toBeLessThanOrEqual(9_000);
});
