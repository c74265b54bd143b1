/** `npm test`: installs, finds or installs browsers, then types, lint, unit tests and browser tests. Ends with one line of counts. */

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { ensureChromium, ensureFirefox } from "./browsers.mjs";
import { bin, installIfNeeded, root, runOrExit } from "./install.mjs";

installIfNeeded();
const environment = { ...process.env, CHROMIUM_PATH: await ensureChromium(), FIREFOX_PATH: ensureFirefox() };
const results = `${root}/test-results`;
rmSync(results, { recursive: true, force: true });
mkdirSync(results, { recursive: true });

console.log("— types and lint");
runOrExit("npm", ["run", "--silent", "check"]);

/** Runs one test runner; answers its counts from the report it wrote. */
function runTests(title, command, args, report, extra, count) {
  console.log(`— ${title}`);
  const { status } = spawnSync(command, args, {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...environment, ...extra },
    shell: process.platform === "win32",
  });
  if (!existsSync(report)) {
    console.error(`${title} ended with status ${status} and left no report at ${report}.`);
    return { passed: 0, failed: 1 };
  }
  const { passed, failed } = count(JSON.parse(readFileSync(report, "utf8")));
  // A runner may fail for a reason that is no test: an unhandled error, or no test found.
  return { passed, failed: status === 0 ? failed : Math.max(failed, 1) };
}

const unitReport = `${results}/unit.json`;
const unit = runTests(
  "unit tests",
  bin("vitest"),
  ["run", "--reporter=default", "--reporter=json", `--outputFile.json=${unitReport}`],
  unitReport,
  {},
  (json) => ({ passed: json.numPassedTests, failed: json.numFailedTests }),
);
const browserReport = `${results}/browser.json`;
const browser = runTests(
  "browser tests",
  bin("playwright"),
  ["test", "--config", "e2e/playwright.config.ts", "--reporter=list,json"],
  browserReport,
  { PLAYWRIGHT_JSON_OUTPUT_NAME: browserReport },
  (json) => ({ passed: json.stats.expected, failed: json.stats.unexpected + json.stats.flaky }),
);
const passed = unit.passed + browser.passed;
const failed = unit.failed + browser.failed;
console.log(`\n${passed} passed, ${failed} failed`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);
