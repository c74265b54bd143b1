/**
 * `npm test`: installs, finds or installs browsers, then types, lint, unit tests and browser tests. The aim is nine minutes on
 * two quiet cores. It leaves out the files of `unit-tests/long-files.mjs`, the browser tests without the tag `@daily`, and Firefox.
 * `npm run test:all` leaves out nothing. `--part NAME` (again for another part) runs one part, `--shard 1/3` a third of a part.
 * The last lines name the tests that failed, what was left out, and the counts of tests that passed, failed and were skipped.
 */

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { parseArgs } from "node:util";
import { ensureChromium, ensureFirefox, ensureHeadlessShell } from "./browsers.mjs";
import { bin, installIfNeeded, root, runOrExit } from "./install.mjs";
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
function runTests(title, command, args, report, extra, readReport) {
  console.log(`— ${title}`);
  const started = Date.now();
  const { status } = spawnSync(command, [...args, ...shardArguments], {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, ...extra },
    shell: process.platform === "win32",
  });
  console.log(`— ${title}: ${Math.round((Date.now() - started) / 1000)} s`);
  if (!existsSync(report)) {
    const reason = `${title} ended with status ${status} and left no report at ${report}.`;
    return { passed: 0, failed: 1, skipped: 0, failures: [reason] };
  }
  const tests = readReport(JSON.parse(readFileSync(report, "utf8")));
  if (status === 0 || tests.failed > 0) return tests;
  // A runner may fail for a reason that is no test: an unhandled error, or no test found.
  const outside = `${title} ended with status ${status}, for a reason outside its tests (see above).`;
  return { ...tests, failed: 1, failures: [...tests.failures, outside] };
}

function unitTests() {
  const report = `${results}/unit.json`;
  const progress = "./scripts/unit-tests/progress-reporter.ts";
  const args = ["run", ...["default", progress, "json"].map((name) => `--reporter=${name}`)];
  args.push(`--outputFile.json=${report}`);
  if (!all) for (const file of Object.values(longFiles).flat()) args.push(`--exclude=${file}`);
  return runTests("unit tests", bin("vitest"), args, report, {}, (json) => readVitestReport(json, root));
}

/** Projects of e2e/playwright.config.ts, some files of them at a time. */
function browserTests(projects, workers, extra = {}) {
  const report = `${results}/browser-${projects[0]}.json`;
  const args = [
    "test",
    "--config",
    "e2e/playwright.config.ts",
    "--reporter=list,json",
    `--workers=${workers}`,
  ];
  args.push(...projects.map((project) => `--project=${project}`));
  if (!all) args.push("--grep=@daily");
  const env = { ...browsers, ...extra, PLAYWRIGHT_JSON_OUTPUT_NAME: report };
  const title = `browser tests: ${projects.join(" and ")}`;
  return runTests(title, bin("playwright"), args, report, env, readPlaywrightReport);
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
const failures = counts.flatMap((each) => each.failures);
if (failures.length > 0) console.log("\nFailed:");
for (const failed of failures.slice(0, mostFailuresNamed)) console.log(`  ${failed}`);
if (failures.length > mostFailuresNamed)
  console.log(`  and ${failures.length - mostFailuresNamed} more (see above)`);
console.log(`\n${leftOut()}`);
console.log(`${sum("passed")} passed, ${sum("failed")} failed, ${sum("skipped")} skipped`);
const onlyChecks = counts.length === 0;
process.exit(sum("failed") === 0 && (onlyChecks || sum("passed") > 0) ? 0 : 1);
