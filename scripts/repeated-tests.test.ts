/** Failed tests are repeated once; how they end then counts, and the run's end names what passed only then. */
import { expect, test } from "vitest";
import { afterRepeat, mayRepeat } from "./repeated-tests.mjs";

const page = (name: string, error = "timed out") => `[page] page/step.spec.ts > ${name}\n    ${error}`;
const failedFiles = ["page/step.spec.ts"];
const run = (passed: number, failures: readonly string[]) => ({
  passed,
  failed: failures.length,
  skipped: 4,
  failures,
  failedFiles,
});

test("a few failed tests are repeated", () => {
  expect(mayRepeat(run(9, [page("a")]))).toBe(true);
  expect(mayRepeat(run(9, [page("a"), page("b"), page("c")]))).toBe(true);
});

test("no failures, many failures, a failure outside the tests and a leak are not repeated", () => {
  expect(mayRepeat(run(9, []))).toBe(false);
  expect(
    mayRepeat(
      run(
        9,
        ["a", "b", "c", "d"].map((name) => page(name)),
      ),
    ),
  ).toBe(false);
  expect(mayRepeat({ failed: 1, failures: ["ended with status 1"], failedFiles: [] })).toBe(false);
  expect(mayRepeat({ failed: 1, failures: [page("a"), "broken.spec.ts\n    Error"], failedFiles })).toBe(
    false,
  );
  const leak = run(9, ["[sandbox] sandbox/escapes.spec.ts > fetch"]);
  expect(mayRepeat({ ...leak, failedFiles: ["sandbox/escapes.spec.ts"] })).toBe(false);
});

test("what passes when it is repeated passes and is named; what fails again fails with its new error", () => {
  const first = run(9, [page("a"), page("b")]);
  expect(afterRepeat(first, run(2, []))).toMatchObject({
    passed: 11,
    failed: 0,
    skipped: 4,
    failures: [],
    unstable: first.failures,
  });
  expect(afterRepeat(first, run(1, [page("b", "closed")]))).toMatchObject({
    passed: 10,
    failed: 1,
    failures: [page("b", "closed")],
    unstable: [page("a")],
  });
});

test("tests that were not repeated, and a second run without a report, keep the failures", () => {
  const first = run(9, [page("a"), page("b")]);
  expect(afterRepeat(first, run(1, []))).toMatchObject({ passed: 9, failed: 2, failures: first.failures });
  const without = { passed: 0, failed: 1, skipped: 0, failures: ["left no report"], failedFiles: [] };
  expect(afterRepeat(first, without)).toMatchObject({
    failed: 2,
    failures: [...first.failures, "left no report"],
  });
  const broken = { ...run(2, []), failures: ["broken.spec.ts\n    Error"] };
  expect(afterRepeat(first, broken).failed).toBe(2);
});
