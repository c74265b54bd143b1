/**
 * `npm test`: installs, finds or installs browsers, then types and lint, then unit tests and browser tests at the same time:
 * browser tests wait for much, and the unit tests use the time of the processor that the browsers leave. The aim is nine minutes
 * on two quiet cores. It leaves out the files of `unit-tests/long-files.mjs`, the browser tests without the tag `@daily`, and
 * Firefox. `npm run test:all` leaves out nothing. `--part NAME` (again for another part) runs one part, `--shard 1/3` a third of a
 * part. `--bare FOLDER` names an installed clone, in which the tests that read models run first, without models.
 * The last lines name the tests that failed, what was left out, and the counts of tests that passed, failed and were skipped.
 */

import { spawn } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync } from "node:fs";
import { relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { ensureChromium, ensureFirefox } from "./browsers.mjs";
import { bin, installIfNeeded, root, runOrExit } from "./install.mjs";
import { readPlaywrightReport, readVitestReport } from "./test-reports.mjs";
import { testsImporting } from "./unit-tests/importing-tests.mjs";
import { longFiles } from "./unit-tests/long-files.mjs";

const results = `${root}/test-results`;
const mostFailuresNamed = 25;
const partNames = ["checks", "unit", "webgpu", "page", "sandbox"];

function readOptions() {
  try {
    const options = {
      all: { type: "boolean", default: false },
      bare: { type: "string" },
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
      `${error.message}\nUse: npm test [-- --part ${parts} … --shard N/OF --bare FOLDER], or npm run test:all [-- …]`,
    );
    process.exit(2);
  }
}

const { all, bare, part: parts, shard } = readOptions();
const shardArguments = shard === undefined ? [] : [`--shard=${shard}`];
const pageParts = ["page", "sandbox"].filter((name) => parts.includes(name));
const needsBrowser = parts.includes("webgpu") || pageParts.length > 0;
/** Browser tests print as they go; unit tests beside them print when they end. */
const printsAtEnd = parts.includes("unit") && needsBrowser;

/**
 * Starts a program; settles with its exit status. With `log` the output goes to this file, and is printed when the program
 * ends: another program prints its own output meanwhile.
 */
async function runProgram(command, args, options, log) {
  const output = log === null ? "inherit" : openSync(log, "w");
  const child = spawn(command, args, {
    stdio: ["ignore", output, output],
    shell: process.platform === "win32",
    ...options,
  });
  const status = await new Promise((ended) => {
    child.once("error", ({ message }) => ended(message));
    child.once("close", (code, signal) => ended(code ?? signal));
  });
  if (log === null) return status;
  closeSync(output);
  process.stdout.write(readFileSync(log));
  return status;
}

/** Runs one test runner; returns the counts and the failed tests of the report that the runner wrote. */
async function runTests({ title, command, args, report, readReport, folder = root, env = {}, log = null }) {
  console.log(
    log === null
      ? `— ${title}`
      : `— ${title}: begin; their output is in ${relative(root, log)} until they end`,
  );
  const started = Date.now();
  const options = { cwd: folder, env: { ...process.env, ...env } };
  const status = await runProgram(command, [...args, ...shardArguments], options, log);
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

/** Runs vitest in a folder. @param name of the report and the log */
function nodeTests(title, name, words, folder = root, env = {}) {
  const report = `${results}/${name}.json`;
  const progress = "./scripts/unit-tests/progress-reporter.ts";
  const args = [...words, ...["default", progress, "json"].map((reporter) => `--reporter=${reporter}`)];
  args.push(`--outputFile.json=${report}`);
  const log = printsAtEnd ? resolve(results, `${name}.log`) : null;
  const readReport = (json) => readVitestReport(json, folder);
  const command = resolve(folder, "node_modules/.bin/vitest");
  return runTests({ title, command, args, report, readReport, folder, env, log });
}

function unitTests() {
  const left = all ? [] : Object.values(longFiles).flat();
  return nodeTests("unit tests", "unit", ["run", ...left.map((file) => `--exclude=${file}`)]);
}

/** In a clone elsewhere: nothing outside the repository is read but models, and without models these tests pass. */
function bareTests() {
  const folder = resolve(bare);
  const words = ["run", ...testsImporting(folder, "scripts/models-folder.ts")];
  return nodeTests("tests without models", "bare", words, folder, { MIDTOKEN_MODELS: undefined });
}

async function nodeParts() {
  const counts = bare === undefined ? [] : [await bareTests()];
  return parts.includes("unit") ? [...counts, await unitTests()] : counts;
}

/** Projects of e2e/playwright.config.ts, two files of them at a time. */
function browserTests(projects, extra = {}) {
  const report = `${results}/browser-${projects[0]}.json`;
  const args = ["test", "--config", "e2e/playwright.config.ts", "--reporter=list,json", "--workers=2"];
  args.push(...projects.map((project) => `--project=${project}`));
  if (!all) args.push("--grep=@daily");
  const env = { ...browsers, ...extra, PLAYWRIGHT_JSON_OUTPUT_NAME: report };
  const title = `browser tests: ${projects.join(" and ")}`;
  return runTests({ title, command: bin("playwright"), args, report, readReport: readPlaywrightReport, env });
}

/** Beside software WebGPU a mod may get too little time: no other browser runs beside its tests. They need no built page. */
async function browserParts() {
  const withoutBuild = { E2E_DEV_ONLY: "1" };
  const counts = parts.includes("webgpu") ? [await browserTests(["webgpu"], withoutBuild)] : [];
  if (pageParts.length === 0) return counts;
  return [...counts, await browserTests(pageParts, pageParts.includes("page") ? {} : withoutBuild)];
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
const browsers = needsBrowser ? { CHROMIUM_PATH: await ensureChromium() } : {};
if (all && needsBrowser) browsers.FIREFOX_PATH = ensureFirefox();
else browsers.E2E_BROWSERS = "chromium";
rmSync(results, { recursive: true, force: true });
mkdirSync(results, { recursive: true });

if (parts.includes("checks")) {
  console.log("— types and lint");
  runOrExit("npm", ["run", "--silent", "check"]);
}
const counts = (await Promise.all([browserParts(), nodeParts()])).flat();
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
