/** The end of a test run names what failed. Runs of the real vitest and the real Playwright write the reports that are read here. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readPlaywrightReport, readVitestReport } from "./test-reports.mjs";

const root = resolve(import.meta.dirname, "..");
let folder: string;

const testBodies = `
  test("holds", () => {});
  test.skip("is skipped", () => {});
  test("adds", () => expect(1 + 1, "the sum").toBe(3));
`;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "test-reports-"));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(tool: string, args: readonly string[], env: Record<string, string> = {}): number | null {
  const { VITEST: _, ...ours } = process.env;
  return spawnSync(process.execPath, [join(root, "node_modules", tool), ...args], {
    cwd: folder,
    env: { ...ours, ...env },
  }).status;
}
const report = (): unknown => JSON.parse(readFileSync(join(folder, "report.json"), "utf8"));

test("of vitest: a failed test with its error, and a file that cannot be imported", () => {
  writeFileSync(join(folder, "sum.test.ts"), `import { expect, test } from "vitest";${testBodies}`);
  writeFileSync(join(folder, "broken.test.ts"), `throw new Error("The import failed.");`);
  writeFileSync(join(folder, "vitest.config.mjs"), "export default {};");
  const args = ["run", "--root", folder, "--reporter=json", "--outputFile=report.json"];
  expect(run("vitest/vitest.mjs", args)).toBe(1);
  const { failures, failedFiles, ...counts } = readVitestReport(report(), folder);
  expect(counts).toEqual({ passed: 1, failed: 1, skipped: 1 });
  expect([...failedFiles].sort()).toEqual(["broken.test.ts", "sum.test.ts"]);
  expect([...failures].sort()).toEqual([
    expect.stringContaining("broken.test.ts\n    The import failed."),
    expect.stringMatching(/^sum\.test\.ts > adds\n {4}AssertionError: the sum: expected 2 to be 3/),
  ]);
});

test("of Playwright: a failed test with its project and error, and a file that cannot be read", () => {
  writeFileSync(join(folder, "sum.spec.ts"), `import { expect, test } from "@playwright/test";${testBodies}`);
  writeFileSync(
    join(folder, "playwright.config.ts"),
    `export default { testMatch: "*.spec.ts", reporter: "json", projects: [{ name: "page" }] };`,
  );
  const args = ["test", "--config", "playwright.config.ts"];
  const env = { PLAYWRIGHT_JSON_OUTPUT_NAME: "report.json" };
  expect(run("@playwright/test/cli.js", args, env)).toBe(1);
  const { failures, failedFiles, ...counts } = readPlaywrightReport(report());
  expect(counts).toEqual({ passed: 1, failed: 1, skipped: 1 });
  expect(failedFiles).toEqual(["sum.spec.ts"]);
  expect(failures).toEqual([expect.stringMatching(/^\[page\] sum\.spec\.ts > adds\n {4}Error: the sum/)]);

  writeFileSync(join(folder, "broken.spec.ts"), `throw new Error("The import failed.");`);
  expect(run("@playwright/test/cli.js", args, env)).toBe(1);
  expect(readPlaywrightReport(report()).failures).toEqual([
    expect.stringMatching(/broken\.spec\.ts\n {4}Error: The import failed\./),
  ]);
});
