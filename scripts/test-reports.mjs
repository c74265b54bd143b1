/**
 * Reads the JSON reports of vitest and of Playwright: counts of tests, and each failed test with the start of its error. The end
 * of a long log is often all that somebody sees, so `test.mjs` prints the failed tests there.
 *
 *     readVitestReport(json)  // { passed: 11, failed: 1, skipped: 0, failures: ["src/a.test.ts > adds\n    expected 3 to be 4"] }
 */
import { relative } from "node:path";
import { stripVTControlCharacters } from "node:util";

const longestReason = 300;

/** One failed test or file: its name, and the start of its error without the colours of a terminal. */
function failure(name, error) {
  const reason = stripVTControlCharacters(error ?? "").trim();
  const start = reason.length > longestReason ? `${reason.slice(0, longestReason)}…` : reason;
  return [name, ...start.split("\n")].join("\n    ");
}

/** A file may fail although each of its tests passed: an import that throws, or a process that was left changed. */
function vitestFileFailures(file, root) {
  const path = relative(root, file.name);
  const failedTests = file.assertionResults.filter(({ status }) => status === "failed");
  const failures = failedTests.map(({ fullName, failureMessages }) =>
    failure(`${path} > ${fullName}`, failureMessages?.[0]),
  );
  const failedAsFile = file.status === "failed" && failures.length === 0;
  return failedAsFile ? [failure(path, file.message)] : failures;
}

/** Format: `--reporter=json` of vitest. Paths in names are relative to `root`. */
export function readVitestReport(json, root) {
  return {
    passed: json.numPassedTests,
    failed: json.numFailedTests,
    skipped: json.numPendingTests + json.numTodoTests,
    failures: json.testResults.flatMap((file) => vitestFileFailures(file, root)),
    failedFiles: json.testResults
      .filter(({ status }) => status === "failed")
      .map(({ name }) => relative(root, name)),
  };
}

function playwrightFailures(suite) {
  const specs = suite.specs ?? [];
  const failedTests = specs.flatMap(({ title, file, tests }) =>
    tests
      .filter(({ status }) => status === "unexpected" || status === "flaky")
      .map(({ projectName, results }) => {
        const error = results.find((result) => result.error !== undefined)?.error;
        return { file, text: failure(`[${projectName}] ${file} > ${title}`, error?.message) };
      }),
  );
  return [...failedTests, ...(suite.suites ?? []).flatMap(playwrightFailures)];
}

/** Format: the JSON reporter of Playwright. Its `errors` are those outside tests, such as a file that cannot be read. */
export function readPlaywrightReport(json) {
  const outside = json.errors.map(({ message, location }) =>
    failure(location?.file ?? "outside every test", message),
  );
  const failures = json.suites.flatMap(playwrightFailures);
  return {
    passed: json.stats.expected,
    failed: json.stats.unexpected + json.stats.flaky,
    skipped: json.stats.skipped,
    failures: [...outside, ...failures.map(({ text }) => text)],
    failedFiles: [...new Set(failures.map(({ file }) => file))],
  };
}
