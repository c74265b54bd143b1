/** What holds every test file: it ends, and it leaves its process as it was. A run of vitest on files that do neither. */
import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const vitest = resolve(root, "node_modules/vitest/vitest.mjs");

interface JsonReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
  }[];
}

test("files that hang are named and ended, files that leave something fail, and other files go on", () => {
  const args = [vitest, "run", "--config", "scripts/unit-tests/fixtures/vitest.config.ts"];
  const env = { ...process.env, TEST_FILE_LIMIT_S: "3" };
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, env, encoding: "utf8" });
  expect(status).toBe(1);
  expect(stderr).toContain(
    "did not end within 3 s. Its worker is ended, other files go on:\n  scripts/unit-tests/fixtures/endless.fixture.ts\n  in: a loop that never ends",
  );
  expect(stderr).toContain("other files go on:\n  scripts/unit-tests/fixtures/waits.fixture.ts");
  expect(stderr).toContain("Test file that did not end: scripts/unit-tests/fixtures/waits.fixture.ts");
  const json = stdout.split("\n").find((line) => line.startsWith('{"numTotalTestSuites"')) ?? "";
  const { testResults } = JSON.parse(json) as JsonReport;
  const result = (name: string) => testResults.find((each) => each.name.endsWith(`/${name}.fixture.ts`));
  expect(result("passes")?.status).toBe("passed");
  expect(result("leaves")).toMatchObject({
    status: "failed",
    message: expect.stringContaining("process.env.LEFT_BY_A_TEST"),
  });
  expect(result("leaves")?.message).toContain("the globals of new realms");
});
