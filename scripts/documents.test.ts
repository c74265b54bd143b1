/** Documents for users are short and name things that exist. `developer-documents.test.ts` has the documents about the code. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { clients } from "../e2e/package/clients/list.ts";

test("every path that docs/limits.md names exists", () => {
  const named = [...readFileSync("docs/limits.md", "utf8").matchAll(/`((?:src|e2e|scripts)\/[^`\s]+)`/g)];
  const paths = named.map(([, path = ""]) => path);
  expect(paths.length).toBeGreaterThan(20);
  expect(paths.filter((path) => !existsSync(path))).toEqual([]);
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

test("README.md is short: at most 150 lines, and twelve bullets of at most 25 words", () => {
  expect(linesOf("README.md")).toBeLessThanOrEqual(150);
  const [, after = ""] = readFileSync("README.md", "utf8").split("## What it does\n");
  const [section = ""] = after.split("\n## ");
  const bullets = [...section.matchAll(/^- (.+)$/gm)].map(([, text = ""]) => text);
  expect(bullets).toHaveLength(12);
  expect(bullets.filter((text) => text.split(/\s+/).length > 25)).toEqual([]);
});

test("docs/measurements.md begins with the missed limits, and each command names a bench and sections of it", () => {
  const text = readFileSync("docs/measurements.md", "utf8");
  expect(text.match(/^## .+$/m)?.[0]).toBe("## Missed limits");
  const rows = [...text.matchAll(/^\| (?!what was measured).+\|$/gm)].map(([row]) => row);
  expect(rows.length).toBeGreaterThan(100);
  const wrong = rows.filter((row) => {
    const cells = row.split(" | ");
    const command = /^`([a-z]+)( --.*)?` \|$/.exec(cells.at(-1) ?? "");
    if (cells.length !== 6 || !command) return true;
    const bench = readFileSync(`e2e/bench/${command[1]}.bench.ts`, "utf8");
    const sections = /--only ([\w,-]+)/.exec(row)?.[1]?.split(",") ?? [];
    return sections.some((name) => !new RegExp(`^\\s+"?${name}"?[,:]|\\b${name}: `, "m").test(bench));
  });
  expect(wrong).toEqual([]);
});

test("CONTRIBUTING.md names each bench", () => {
  const text = readFileSync("CONTRIBUTING.md", "utf8");
  const names = readdirSync("e2e/bench").flatMap((name) => /^(.+)\.bench\.ts$/.exec(name)?.[1] ?? []);
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
});

test("docs/api is short enough to be read: each type is described once", () => {
  const reports = readdirSync("docs/api").map((name) => linesOf(`docs/api/${name}`));
  expect(reports.reduce((sum, lines) => sum + lines, 0)).toBeLessThanOrEqual(9_000);
});
