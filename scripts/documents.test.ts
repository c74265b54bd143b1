/** What the documents name is there: files of SECURITY.md, and the versions of clients that the bench installs. */
import { existsSync, readFileSync } from "node:fs";
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
