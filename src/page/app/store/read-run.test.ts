/** A recorded run is shown while it is read; what is refused or stopped goes again. */
import "fake-indexeddb/auto";
import { afterAll, expect, test, vi } from "vitest";
import { encodeTrace, encodeTraceFile } from "../../../core/trace/codec/codec.ts";
import { startOpeningFile } from "../../../core/trace/file/opening-model.ts";
import { createTraceModel } from "../../../core/trace/model/trace-model.ts";
import { sampleTrace } from "../../../core/trace/testing/sample-trace.ts";
import { createTraceBuilder, requestRecord } from "../../../core/trace/testing/trace-builder.ts";
import { createRunRepository } from "../../runs/repository.ts";
import { runToSave } from "../../runs/run-to-save.ts";
import { createPreviousRunRestorer } from "./open-run.ts";
import { readAndShowRun } from "./read-run.ts";
import type { RunState } from "./run-store.ts";
import { createImportedRunFields, shownRunFieldsOf } from "./shown-run.ts";
import { createTestStores } from "./testing/test-stores.ts";

const runs = createRunRepository("test.read-run");
afterAll(() => {
  vi.restoreAllMocks();
  runs.close();
});

/** Each look at the clock finds so much time gone that a slice is over, and that all there is to show is shown. */
function slowClock(): void {
  let now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => {
    now += 300;
    return now;
  });
}

const long = encodeTraceFile(sampleTrace({ tokens: 4000 }));
/** Its last record is wrong. */
const bad = (() => {
  const builder = createTraceBuilder(requestRecord({ mods: [{ name: "m", source: "" }] }));
  for (let round = 0; round < 6000; round += 1) builder.add([{ token: 1, text: "a" }], "forced");
  builder.score(
    5999,
    [-1, -1],
    [
      { entropy: 0, top: [] },
      { entropy: 0, top: [] },
    ],
  );
  return encodeTrace({ trace: builder.finish("stop"), notes: [] }).bytes;
})();

/** A page that shows a run of 20 tokens, which is kept or not. */
async function pageWith(kept: "no" | "listed") {
  const stores = createTestStores({ runs });
  const trace = createTraceModel();
  trace.append(sampleTrace({ tokens: 20 }).records);
  stores.run.getState().show(trace);
  const { id } = stores.run.getState();
  stores.run.getState().setSaved(id, kept);
  if (kept === "listed")
    await runs.save(runToSave(trace, { ...shownRunFieldsOf(stores.run.getState()), when: 1 }));
  const seen: RunState[] = [];
  stores.run.subscribe((state) => seen.push(state));
  const read = (bytes: Uint8Array<ArrayBuffer>) =>
    readAndShowRun(stores, startOpeningFile(bytes), {
      what: "Reading",
      about: createImportedRunFields(),
      file: bytes,
      wayBack: () => createPreviousRunRestorer(stores),
    });
  return { stores, run: stores.run, id, trace, seen, read };
}

test("it grows on the page, and is whole in the end", async () => {
  slowClock();
  const { run, seen, read } = await pageWith("no");
  const lengths: number[] = [];
  run.subscribe(({ status, trace }) => status === "reading" && lengths.push(trace.records.length));
  const back = await read(long);
  expect(new Set(lengths).size).toBeGreaterThan(5);
  expect(lengths).toEqual(lengths.toSorted((a, b) => a - b));
  const { status, reading, file, trace } = run.getState();
  expect({ status, reading, file }).toEqual({ status: "finished", reading: null, file: long });
  expect(trace.finished).not.toBeNull();
  const whole = seen.filter((state) => state.trace === trace && state.status === "finished");
  expect(whole).toHaveLength(1);
  expect(back).toBeTypeOf("function");
});

test.each(["no", "listed"] as const)(
  "refused at its end: the run before (kept: %s) is shown again",
  async (kept) => {
    slowClock();
    const { run, id, seen, read } = await pageWith(kept);
    await expect(read(bad)).rejects.toThrow("records[6001] scores tokens that were not emitted");
    expect(seen.some(({ status }) => status === "reading")).toBe(true);
    await vi.waitFor(() => expect(run.getState()).toMatchObject({ id, status: "finished", reading: null }));
    expect(run.getState().trace.tokens.text.length).toBeGreaterThan(0);
    // A view may hold the refused trace until the page draws the next run, so the trace must be small.
    const refused = seen.find(({ status }) => status === "reading")?.trace;
    expect([refused?.records, refused?.events, refused?.tokens.text]).toEqual([[], [], []]);
  },
);

test("what is refused before it was shown changes nothing", async () => {
  vi.restoreAllMocks();
  const { run, trace, seen, read } = await pageWith("no");
  await expect(read(new Uint8Array([1, 2, 3]))).rejects.toThrow("ends too early");
  expect(seen.map((state) => state.trace === trace && state.status)).toEqual(seen.map(() => "finished"));
  expect(run.getState().reading).toBeNull();
});

/** Does something once the beginning of the run is shown. */
function onceShown(run: Awaited<ReturnType<typeof pageWith>>["run"], act: () => void): void {
  const end = run.subscribe(({ status }) => {
    if (status !== "reading") return;
    end();
    // As a user does it: in a task of its own.
    queueMicrotask(act);
  });
}

test("stopped: the run before is shown again, and nothing more is read", async () => {
  slowClock();
  const { run, id, read } = await pageWith("listed");
  onceShown(run, () => run.getState().stop());
  expect(await read(long)).toBeUndefined();
  await vi.waitFor(() => expect(run.getState()).toMatchObject({ id, status: "finished", reading: null }));
});

test("another file takes its place, and leads back to the run before both", async () => {
  slowClock();
  const { run, id, read } = await pageWith("no");
  let second: Promise<(() => void) | null | undefined> | undefined;
  onceShown(run, () => {
    second = read(encodeTraceFile(sampleTrace({ tokens: 30 })));
  });
  expect(await read(long)).toBeUndefined();
  const back = await second;
  expect(run.getState()).toMatchObject({ status: "finished", reading: null });
  back?.();
  expect(run.getState().id).toBe(id);
});

test("a run that begins ends the reading; a start that fails brings nothing of it back", async () => {
  slowClock();
  const { run, read } = await pageWith("no");
  onceShown(run, () => run.getState().begin());
  expect(await read(long)).toBeUndefined();
  expect(run.getState()).toMatchObject({ status: "starting", reading: null });
  run.getState().fail("No model.");
  expect(run.getState()).toMatchObject({ status: "empty", startFailure: "No model.", id: "" });
});
