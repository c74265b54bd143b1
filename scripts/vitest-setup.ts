/**
 * What every file of unit tests begins with. Files share their workers, so that modules are read once: globals that a file
 * changes are put back when the file ends, and a file that leaves anything else changed in its process fails. Property tests
 * draw the same cases in every run, so that a red run is a change's fault. `PROPERTY_SEED=random` (or a number) draws other
 * cases, to look for faults that these cases do not meet.
 */
import { relative } from "node:path";
import fc from "fast-check";
import { afterAll, afterEach, beforeEach, expect, vi } from "vitest";
import { runAfterEachTest } from "./unit-tests/after-each-test.ts";
import { changedProcessState, readProcessState } from "./unit-tests/leftovers.ts";
import { startWatchdog, testFileLimitMs, type Watchdog } from "./unit-tests/watchdog.ts";

/** One thread for all files of this worker. */
const holder = globalThis as { testFileWatchdog?: Watchdog; waitsLong?: boolean };
holder.testFileWatchdog ??= startWatchdog({
  limitMs: testFileLimitMs,
  failure: "This test file did not end within %s s. Its worker is ended, other files go on:",
});
const watchdog = holder.testFileWatchdog;
const file = relative(process.cwd(), expect.getState().testPath ?? "");
watchdog.watch(file);
beforeEach(({ task }) => watchdog.note(task.name));
afterEach(runAfterEachTest);

const before = readProcessState();

afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  watchdog.watch(null);
  const left = changedProcessState(before, readProcessState());
  if (left.length > 0) {
    throw new Error(
      `${file} leaves these changed for the files that run after it in its process: ${left.join(", ")}. Put them back when the file ends.`,
    );
  }
});

/** `vi.waitFor` and `vi.waitUntil` give up after one second by default, which is too early on a busy machine. */
const patienceMs = 60_000;
if (!holder.waitsLong) {
  holder.waitsLong = true;
  const { waitFor, waitUntil } = vi;
  vi.waitFor = (callback, options = patienceMs) => waitFor(callback, options);
  vi.waitUntil = (callback, options = patienceMs) => waitUntil(callback, options);
}

const asked = process.env.PROPERTY_SEED;
const chosen = asked === "random" ? undefined : Number(asked);
const seed = asked === undefined ? 20_261_121 : chosen;
fc.configureGlobal({ ...fc.readConfigureGlobal(), ...(seed !== undefined && { seed }) });
