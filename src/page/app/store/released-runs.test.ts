/** A run that gave way to another one is let go of: two of the longest are not in memory at once. */
import "fake-indexeddb/auto";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { collectGarbage } from "../../../core/base/testing/collect-garbage.ts";
import { encodeTraceFile } from "../../../core/trace/codec/codec.ts";
import { startOpeningFile } from "../../../core/trace/file/opening-model.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import { sampleTrace } from "../../../core/trace/testing/sample-trace.ts";
import { createRunRepository } from "../../runs/repository.ts";
import { createPreviousRunRestorer, openSavedRun } from "./open-run.ts";
import { readAndShowRun } from "./read-run.ts";
import { startSavingRuns } from "./save-runs.ts";
import { createImportedRunFields } from "./shown-run.ts";
import type { Stores } from "./stores.ts";
import { createMemoryLocks } from "./testing/memory-locks.ts";
import { createTestStores } from "./testing/test-stores.ts";

const runs = createRunRepository("test.released-runs");
beforeAll(() => void vi.stubGlobal("document", { hidden: true }));
afterAll(() => {
  runs.close();
  vi.unstubAllGlobals();
});

/** Drops a file on the page and waits until it is kept. */
async function drop(stores: Stores): Promise<WeakRef<TraceModel>> {
  const bytes = encodeTraceFile(sampleTrace({ tokens: 40 }));
  const options = {
    what: "Reading",
    about: createImportedRunFields(),
    file: bytes,
    wayBack: () => createPreviousRunRestorer(stores),
  };
  await readAndShowRun(stores, startOpeningFile(bytes), options);
  await vi.waitFor(() => expect(stores.run.getState().saved).toBe("imported"));
  return new WeakRef(stores.run.getState().trace);
}

/** Which of the runs are still in memory, once that is as expected: a database or a promise lets go of a run a few turns later. */
async function expectAlive(all: readonly WeakRef<TraceModel>[], expected: readonly boolean[]): Promise<void> {
  await vi.waitFor(
    async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      collectGarbage();
      expect(all.map((trace) => trace.deref() !== undefined)).toEqual(expected);
    },
    { timeout: 60_000, interval: 200 },
  );
}

test("of files that are dropped one after the other only the last is in memory, and of one that is read again one", async () => {
  const stores = createTestStores({ runs });
  const stop = startSavingRuns(stores, {
    locks: createMemoryLocks(),
    events: new EventTarget(),
    openHistory() {},
  });
  const dropped: WeakRef<TraceModel>[] = [];
  for (let file = 0; file < 4; file += 1) dropped.push(await drop(stores));
  await expectAlive(dropped, [false, false, false, true]);
  expect(await openSavedRun(stores, stores.run.getState().id)).toBe(true);
  await expectAlive(dropped, [false, false, false, false]);
  stop();
});
