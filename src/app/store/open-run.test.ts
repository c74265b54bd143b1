/** The way back to the run that was shown before: a kept one is read again, and holds no memory until then. */
import "fake-indexeddb/auto";
import { afterAll, expect, test, vi } from "vitest";
import { createRunRepository } from "../../runs/repository.ts";
import { runToKeep } from "../../runs/run-to-keep.ts";
import { sampleTrace } from "../../trace/testing/sample-trace.ts";
import { createTraceModel } from "../../trace/trace-model.ts";
import { wayBack } from "./open-run.ts";
import { aboutOf } from "./run-store.ts";
import { testStores } from "./testing/test-stores.ts";

const runs = createRunRepository("test.open-run");
afterAll(() => runs.close());

function traceOf(tokens: number) {
  const trace = createTraceModel();
  trace.append(sampleTrace({ tokens }).records);
  return trace;
}

test.each(["no", "listed"] as const)("kept: %s", async (kept) => {
  const stores = testStores({ runs });
  const { run } = stores;
  run.getState().show(traceOf(30));
  const { id } = run.getState();
  run.getState().setKept(id, kept);
  const before = run.getState().trace;
  if (kept === "listed") await runs.keep(runToKeep(before, { ...aboutOf(run.getState()), when: 1 }));
  const back = wayBack(stores);
  run.getState().show(traceOf(20));
  back();
  await vi.waitFor(() => expect(run.getState().id).toBe(id));
  expect(run.getState().trace.records).toEqual(before.records);
  expect(run.getState().trace === before).toBe(kept === "no");
});
