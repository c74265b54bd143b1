/**
 * `npm test`: installs, finds or installs browsers, then types, lint, unit tests and browser tests. The aim is nine minutes on
 * two quiet cores. It leaves out the files of `unit-tests/long-files.mjs`, the browser tests without the tag `@daily`, and Firefox.
 * `npm run test:all` leaves out nothing. `--part NAME` (again for another part) runs one part, `--shard 1/3` a third of a part.
 * A few failed tests are run once more, with nothing beside them (`repeated-tests.mjs`). The last lines name the tests that failed,
 * the tests that passed only when they were repeated, what was left out, and the counts of tests that passed, failed and were
 * skipped.
 */

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { parseArgs } from "node:util";
import { ensureChromium, ensureFirefox, ensureHeadlessShell } from "./browsers.mjs";
import { bin, installIfNeeded, root, runOrExit } from "./install.mjs";
import { afterRepeat, mayRepeat } from "./repeated-tests.mjs";
import { readPlaywrightReport, readVitestReport } from "./test-reports.mjs";
import { longFiles } from "./unit-tests/long-files.mjs";

const results = `${root}/test-results`;
const mostFailuresNamed = 25;
const partNames = ["checks", "unit", "webgpu", "page", "sandbox"];

function readOptions() {
  try {
    const options = {
      all: { type: "boolean", default: false },
      part: { type: "string", multiple: true, default: partNames },
      shard: { type: "string" },
    };
    const { values } = parseArgs({ options });
    const unknown = values.part.find((name) => !partNames.includes(name));
    if (unknown !== undefined) throw new Error(`There is no part "${unknown}".`);
    return values;
  } catch (error) {
    const parts = partNames.join("|");
    console.error(
      `${error.message}\nUse: npm test [-- --part ${parts} … --shard N/OF], or npm run test:all [-- …]`,
    );
    process.exit(2);
  }
}

const { all, part: parts, shard } = readOptions();
const shardArguments = shard === undefined ? [] : [`--shard=${shard}`];

/** Runs one test runner; returns the counts and the failed tests of the report that the runner wrote. */
function runOnce({ title, command, report, env, readReport }, args) {
  console.log(`— ${title}`);
  const started = Date.now();
  rmSync(report, { force: true });
  const { status } = spawnSync(command, args, {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, ...env },
    shell: process.platform === "win32",
  });
  console.log(`— ${title}: ${Math.round((Date.now() - started) / 1000)} s`);
  if (!existsSync(report)) {
    const reason = `${title} ended with status ${status} and left no report at ${report}.`;
    return { passed: 0, failed: 1, skipped: 0, failures: [reason], failedFiles: [] };
  }
  const tests = readReport(JSON.parse(readFileSync(report, "utf8")));
  if (status === 0 || tests.failed > 0) return tests;
  // A runner may fail for a reason that is no test: an unhandled error, or no test found.
  const outside = `${title} ended with status ${status}, for a reason outside its tests (see above).`;
  return { ...tests, failed: 1, failures: [...tests.failures, outside], failedFiles: [] };
}

/** Runs one test runner, and failed tests that may be repeated once more, with nothing beside them. */
function runTests(runner, args, repeatArguments) {
  const first = runOnce(runner, [...args, ...shardArguments]);
  if (!mayRepeat(first)) return { ...first, unstable: [] };
  const title = `${runner.title}: failed tests once more`;
  return afterRepeat(first, runOnce({ ...runner, title }, repeatArguments(first)));
}

function unitTests() {
  const report = `${results}/unit.json`;
  const progress = "./scripts/unit-tests/progress-reporter.ts";
  const reporters = ["default", progress, "json"].map((name) => `--reporter=${name}`);
  const common = ["run", ...reporters, `--outputFile.json=${report}`];
  const left = all ? [] : Object.values(longFiles).flat();
  const runner = {
    title: "unit tests",
    command: bin("vitest"),
    report,
    env: {},
    readReport: (json) => readVitestReport(json, root),
  };
  const args = [...common, ...left.map((file) => `--exclude=${file}`)];
  return runTests(runner, args, ({ failedFiles }) => [...common, "--maxWorkers=1", ...failedFiles]);
}

/** Projects of e2e/playwright.config.ts, some files of them at a time. */
function browserTests(projects, workers, extra = {}) {
  const report = `${results}/browser-${projects[0]}.json`;
  const common = ["test", "--config", "e2e/playwright.config.ts", "--reporter=list,json"];
  common.push(...projects.map((project) => `--project=${project}`));
  const runner = {
    title: `browser tests: ${projects.join(" and ")}`,
    command: bin("playwright"),
    report,
    env: { ...browsers, ...extra, PLAYWRIGHT_JSON_OUTPUT_NAME: report },
    readReport: readPlaywrightReport,
  };
  const args = [...common, `--workers=${workers}`, ...(all ? [] : ["--grep=@daily"])];
  return runTests(runner, args, () => [...common, "--workers=1", "--last-failed"]);
}

/**
 * Beside software WebGPU a mod may get too little time: its tests stand alone, and need no built page. They take both cores. A page
 * waits a quarter of its time, so that two cores have room for a third file.
 */
function browserParts() {
  const pageParts = ["page", "sandbox"].filter((name) => parts.includes(name));
  const withoutBuild = { E2E_DEV_ONLY: "1" };
  const counts = parts.includes("webgpu") ? [browserTests(["webgpu"], 2, withoutBuild)] : [];
  if (pageParts.length > 0)
    counts.push(browserTests(pageParts, 3, pageParts.includes("page") ? {} : withoutBuild));
  return counts;
}

/** What this command does not run, as one line. */
function leftOut() {
  const left = partNames.filter((name) => !parts.includes(name)).map((name) => `part ${name}`);
  if (shard !== undefined) left.push(`the shards other than ${shard}`);
  const count = Object.values(longFiles).flat().length;
  if (!all)
    left.push(`${count} long unit test files, browser tests without @daily and Firefox (npm run test:all)`);
  if (!process.env.MIDTOKEN_MODELS)
    left.push("real models, exporters' graphs and Qwen3's vocabulary (MIDTOKEN_MODELS is not set)");
  return left.length === 0 ? "Left out: nothing." : `Left out: ${left.join("; ")}.`;
}

installIfNeeded();
const needsBrowser = ["webgpu", "page", "sandbox"].some((name) => parts.includes(name));
const browsers = {};
if (needsBrowser) {
  browsers.HEADLESS_SHELL_PATH = await ensureHeadlessShell();
  browsers.CHROMIUM_PATH = await ensureChromium();
}
if (all && needsBrowser) browsers.FIREFOX_PATH = ensureFirefox();
else browsers.E2E_BROWSERS = "chromium";
rmSync(results, { recursive: true, force: true });
mkdirSync(results, { recursive: true });

if (parts.includes("checks")) {
  console.log("— types and lint");
  runOrExit("npm", ["run", "--silent", "check"]);
}
const counts = [...(parts.includes("unit") ? [unitTests()] : []), ...browserParts()];
const sum = (key) => counts.reduce((total, each) => total + each[key], 0);

function printTests(title, tests) {
  if (tests.length > 0) console.log(`\n${title}:`);
  for (const each of tests.slice(0, mostFailuresNamed)) console.log(`  ${each}`);
  if (tests.length > mostFailuresNamed)
    console.log(`  and ${tests.length - mostFailuresNamed} more (see above)`);
}
printTests(
  "Passed only when repeated, so something depends on the machine's speed or on chance",
  counts.flatMap(({ unstable }) => unstable),
);
printTests(
  "Failed",
  counts.flatMap(({ failures }) => failures),
);
console.log(`\n${leftOut()}`);
console.log(`${sum("passed")} passed, ${sum("failed")} failed, ${sum("skipped")} skipped`);
const onlyChecks = counts.length === 0;
process.exit(sum("failed") === 0 && (onlyChecks || sum("passed") > 0) ? 0 : 1);
