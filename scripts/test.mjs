/**
 * `npm test [-- --unit]`: installs, finds or installs browsers, then types, lint, unit tests and browser tests. `--unit` ends
 * before the browser tests and needs no browser. The last line counts what passed, failed and was skipped.
 */

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { parseArgs } from "node:util";
import { ensureChromium, ensureFirefox } from "./browsers.mjs";
import { bin, installIfNeeded, root, runOrExit } from "./install.mjs";

function readOptions() {
  try {
    return parseArgs({ options: { unit: { type: "boolean", default: false } } }).values;
  } catch (error) {
    console.error(`${error.message}\nUse: npm test [-- --unit]`);
    process.exit(2);
  }
}

const { unit: unitOnly } = readOptions();
installIfNeeded();
const browsers = unitOnly ? {} : { CHROMIUM_PATH: await ensureChromium(), FIREFOX_PATH: ensureFirefox() };
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
    env: { ...process.env, ...browsers, ...extra },
    shell: process.platform === "win32",
  });
  if (!existsSync(report)) {
    console.error(`${title} ended with status ${status} and left no report at ${report}.`);
    return { passed: 0, failed: 1, skipped: 0 };
  }
  const counts = count(JSON.parse(readFileSync(report, "utf8")));
  // A runner may fail for a reason that is no test: an unhandled error, or no test found.
  return { ...counts, failed: status === 0 ? counts.failed : Math.max(counts.failed, 1) };
}

function unitTests() {
  const report = `${results}/unit.json`;
  const progress = "./scripts/unit-tests/progress-reporter.ts";
  const reporters = ["default", progress, "json"].map((name) => `--reporter=${name}`);
  reporters.push(`--outputFile.json=${report}`);
  return runTests("unit tests", bin("vitest"), ["run", ...reporters], report, {}, (json) => ({
    passed: json.numPassedTests,
    failed: json.numFailedTests,
    skipped: json.numPendingTests + json.numTodoTests,
  }));
}

/** The projects of e2e/playwright.config.ts, two files of them at a time. */
function browserTests(projects, extra = {}) {
  const report = `${results}/browser-${projects[0]}.json`;
  const chosen = projects.flatMap((project) => ["--project", project]);
  const config = ["--config", "e2e/playwright.config.ts", "--reporter=list,json", "--workers", "2"];
  const env = { ...extra, PLAYWRIGHT_JSON_OUTPUT_NAME: report };
  const title = `browser tests: ${projects.join(" and ")}`;
  return runTests(title, bin("playwright"), ["test", ...config, ...chosen], report, env, ({ stats }) => ({
    passed: stats.expected,
    failed: stats.unexpected + stats.flaky,
    skipped: stats.skipped,
  }));
}

/** Beside software WebGPU a mod may get too little time: its tests stand alone, and need no built page. */
const browserParts = () => [
  browserTests(["webgpu"], { E2E_DEV_ONLY: "1" }),
  browserTests(["page", "sandbox"]),
];

const counts = [unitTests(), ...(unitOnly ? [] : browserParts())];
const sum = (key) => counts.reduce((total, each) => total + each[key], 0);
console.log("");
if (!process.env.MIDTOKEN_MODELS)
  console.log(
    "Skipped for want of MIDTOKEN_MODELS: real models, the exporters' graphs and Qwen3's vocabulary (docs/contributing/testing.md).",
  );
console.log(`${sum("passed")} passed, ${sum("failed")} failed, ${sum("skipped")} skipped`);
process.exit(sum("failed") === 0 && sum("passed") > 0 ? 0 : 1);
