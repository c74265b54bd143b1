/** The way back to the run that was shown before: a kept one is read again, and holds no memory until then. */
import "fake-indexeddb/auto";
import { afterAll, expect, test, vi } from "vitest";
import { encodeTraceFile } from "../../../core/trace/codec/codec.ts";
import { startOpeningFile } from "../../../core/trace/file/opening-model.ts";
import { createTraceModel } from "../../../core/trace/model/trace-model.ts";
import { sampleTrace } from "../../../core/trace/testing/sample-trace.ts";
import { createRunRepository } from "../../runs/repository.ts";
import { runToSave } from "../../runs/run-to-save.ts";
import { createPreviousRunRestorer, openSavedRun } from "./open-run.ts";
import { readAndShowRun } from "./read-run.ts";
import type { RunReadingProgress } from "./reading-run.ts";
import type { RunState } from "./run-store.ts";
import { createImportedRunFields, shownRunFieldsOf } from "./shown-run.ts";
import { createTestStores } from "./testing/test-stores.ts";

const runs = createRunRepository("test.open-run");
afterAll(() => runs.close());

function traceOf(tokens: number) {
  const trace = createTraceModel();
  trace.append(sampleTrace({ tokens }).records);
  return trace;
}

/** Two kept runs, and a page whose database takes its time: `answer` lets it answer for one of them. */
async function slowPage() {
  const ids = ["a", "b"] as const;
  for (const [place, id] of ids.entries()) {
    const about = { ...createImportedRunFields(), id, recorded: false, when: 1 };
    await runs.save(runToSave(traceOf(2000 + place), about));
  }
  const gates = new Map<string, () => void>();
  const slow = {
    ...runs,
    async open(id: string) {
      await new Promise<void>((resolve) => void gates.set(id, resolve));
      return runs.open(id);
    },
  };
  const stores = createTestStores({ runs: slow });
  const answer = async (id: string, opening: Promise<boolean>) => {
    gates.get(id)?.();
    return await opening;
  };
  return { stores, answer };
}

test("of two that are opened one after the other the last is shown, whichever the database has first", async () => {
  const { stores, answer } = await slowPage();
  const [a, b] = [openSavedRun(stores, "a"), openSavedRun(stores, "b")];
  expect(await answer("b", b)).toBe(true);
  expect(await answer("a", a)).toBe(false);
  expect(stores.run.getState().id).toBe("b");
  expect(stores.notices.getState().notices).toEqual([]);
});

test.each<[string, (run: RunState) => void]>([
  ["another run is shown", (run) => run.show(traceOf(5))],
  ["a run begins", (run) => void run.begin()],
  [
    "a file is read",
    (run) =>
      run.setReading({
        what: "a file",
        back: null,
        abandon() {},
        stop() {},
      } as unknown as RunReadingProgress),
  ],
])("%s while the database looks for a kept one: it stays", async (_what, act) => {
  const { stores, answer } = await slowPage();
  const opening = openSavedRun(stores, "a");
  act(stores.run.getState());
  const { status, trace, reading } = stores.run.getState();
  expect(await answer("a", opening)).toBe(false);
  expect(stores.run.getState()).toMatchObject({ status });
  expect(stores.run.getState().trace).toBe(trace);
  expect(stores.run.getState().reading).toBe(reading);
});

test.each(["the database looks for it", "it is read"])(
  "a file is opened while a kept run is, and %s: the way back leads to that run",
  async (when) => {
    const { stores, answer } = await slowPage();
    const { run } = stores;
    const readFile = (tokens: number) =>
      readAndShowRun(stores, startOpeningFile(encodeTraceFile(sampleTrace({ tokens }))), {
        what: "a file",
        about: createImportedRunFields(),
        file: null,
        wayBack: () => createPreviousRunRestorer(stores),
      });
    const opening = openSavedRun(stores, "a");
    let file: ReturnType<typeof readFile> | undefined;
    if (when === "it is read") {
      const stop = run.subscribe(({ reading }) => {
        if (!reading) return;
        stop();
        queueMicrotask(() => {
          file = readFile(5);
        });
      });
    } else file = readFile(5);
    expect(await answer("a", opening)).toBe(false);
    const back = await file;
    expect(run.getState()).toMatchObject({ status: "finished", saved: "no" });
    const again = vi.fn();
    run.subscribe(({ id }) => id === "a" && again());
    back?.();
    await vi.waitFor(async () => {
      await answer("a", Promise.resolve(true));
      expect(again).toHaveBeenCalled();
    });
  },
);

test.each(["no", "listed"] as const)("kept: %s", async (kept) => {
  const stores = createTestStores({ runs });
  const { run } = stores;
  run.getState().show(traceOf(30));
  const { id } = run.getState();
  run.getState().setSaved(id, kept);
  const before = run.getState().trace;
  if (kept === "listed") await runs.save(runToSave(before, { ...shownRunFieldsOf(run.getState()), when: 1 }));
  const back = createPreviousRunRestorer(stores);
  run.getState().show(traceOf(20));
  back?.();
  await vi.waitFor(() => expect(run.getState().id).toBe(id));
  expect(run.getState().trace.records).toEqual(before.records);
  expect(run.getState().trace === before).toBe(kept === "no");
});
