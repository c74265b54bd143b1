/**
 * `npm test [-- --unit]`: installs, finds or installs browsers, then types, lint, browser tests and, beside them, unit tests.
 * `--unit` leaves the browser tests out and needs no browser. The last line counts what passed, failed and was skipped.
 */

import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { parseArgs } from "node:util";
import { spawnInBackground } from "./background.mjs";
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

/** Runs one test runner, by `start` if given; answers its counts from the report that it wrote. */
async function runTests({ title, command, args, report, environment = {}, count, start = spawn }) {
  console.log(`— ${title}`);
  const child = start(command, args, {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, ...browsers, ...environment },
    shell: process.platform === "win32",
  });
  const status = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  if (!existsSync(report)) {
    console.error(`${title} ended with status ${status} and left no report at ${report}.`);
    return { passed: 0, failed: 1, skipped: 0 };
  }
  const counts = count(JSON.parse(readFileSync(report, "utf8")));
  // A runner may fail for a reason that is no test: an unhandled error, or no test found.
  return { ...counts, failed: status === 0 ? counts.failed : Math.max(counts.failed, 1) };
}

function unitTests(more = {}) {
  const report = `${results}/unit.json`;
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  return runTests({
    ...{ title: "unit tests", command: bin("vitest"), args: ["run", ...reporters], report, ...more },
    count: (json) => ({
      passed: json.numPassedTests,
      failed: json.numFailedTests,
      skipped: json.numPendingTests + json.numTodoTests,
    }),
  });
}

/** The projects of e2e/playwright.config.ts, two files of them at a time. */
function browserTests(projects, environment = {}) {
  const report = `${results}/browser-${projects[0]}.json`;
  const chosen = projects.flatMap((project) => ["--project", project]);
  const config = ["--config", "e2e/playwright.config.ts", "--reporter=list,json", "--workers", "2"];
  return runTests({
    ...{ title: `browser tests: ${projects.join(" and ")}`, command: bin("playwright"), report },
    args: ["test", ...config, ...chosen],
    environment: { ...environment, PLAYWRIGHT_JSON_OUTPUT_NAME: report },
    count: ({ stats }) => ({
      passed: stats.expected,
      failed: stats.unexpected + stats.flaky,
      skipped: stats.skipped,
    }),
  });
}

/**
 * Beside software WebGPU a mod may get too little time: its tests stand alone, and need no built page. Browser tests wait much,
 * for pages and for what must not come: the unit tests take what time they leave, and are told when they end.
 */
async function allTests() {
  const start = (...given) => spawnInBackground(given, `${results}/unit.log`);
  const unit = unitTests({ title: "unit tests, beside the browser tests", start });
  const webgpu = await browserTests(["webgpu"], { E2E_DEV_ONLY: "1" });
  const others = await browserTests(["page", "sandbox"]);
  return [await unit, webgpu, others];
}

const counts = unitOnly ? [await unitTests()] : await allTests();
const sum = (key) => counts.reduce((total, each) => total + each[key], 0);
console.log("");
if (!process.env.MIDTOKEN_MODELS)
  console.log(
    "Skipped for want of MIDTOKEN_MODELS: real models, the exporters' graphs and Qwen3's vocabulary (README.md, Develop).",
  );
console.log(`${sum("passed")} passed, ${sum("failed")} failed, ${sum("skipped")} skipped`);
process.exit(sum("failed") === 0 && sum("passed") > 0 ? 0 : 1);
