/** A branch is made with the request of the run that is shown, whatever the editor holds by now. */
import { expect, test, vi } from "vitest";
import type { FinishedRecord, TraceRecord } from "../../../core/trace/format/format.ts";
import type { RequestRecord } from "../../../core/trace/format/format-request.ts";
import { branchPlace } from "../../../core/trace/model/branch-place.ts";
import { createTraceModel } from "../../../core/trace/model/trace-model.ts";
import { sampleTrace } from "../../../core/trace/testing/sample-trace.ts";
import type { RunHandle } from "../../../runtime/session/page-side/session.ts";
import type { LoadedModel } from "../../../runtime/session/shared/loading.ts";
import type { RunRequest } from "../../../runtime/session/shared/requests.ts";
import { placeToContinue } from "./place-to-continue.ts";
import { continueAtEnd, startBranch } from "./start-branch.ts";
import { startRun } from "./start-run.ts";
import { createTestRunHandle } from "./testing/run-handle.ts";
import { createTestCatalogEntry, createTestStores } from "./testing/test-stores.ts";

vi.stubGlobal("document", { hidden: true });

/** Stores with a finished run of the model "a" on the page, and the requests that are sent from there on. */
async function withRun(changes: Partial<RequestRecord> = {}) {
  const [first, ...rest] = sampleTrace({ tokens: 20 }).records;
  const model = { ...(first as RequestRecord).model, id: "a" };
  const records = [{ ...(first as RequestRecord), model, ...changes }, ...rest] as readonly TraceRecord[];
  const requests: RunRequest[] = [];
  const stores = createTestStores({
    session: {
      loadModel: async () => ({ id: "a", device: "wasm" }) as LoadedModel,
      run: (request, onRecords): RunHandle => {
        requests.push(request);
        onRecords(records);
        return createTestRunHandle(Promise.resolve());
      },
    },
    models: [createTestCatalogEntry("a"), createTestCatalogEntry("b")],
  });
  stores.model.getState().choose(createTestCatalogEntry("a").reference);
  await startRun(stores);
  await new Promise((resolve) => setTimeout(resolve));
  return { stores, requests, records };
}

test("it has the run's own request, its records, and comes from it", async () => {
  const tool = { type: "function", function: { name: "feed" } };
  const made = { tools: [JSON.stringify(tool)], seed: 77, maxTokens: 19, stop: ["x"] };
  const { stores, requests, records } = await withRun(made);
  const { id, trace } = stores.run.getState();
  stores.settings.getState().change({ maxTokens: 5, seed: 1 });
  await startBranch(stores, 0, 9);
  const [, request] = requests;
  expect(request).toMatchObject({
    ...made,
    tools: [tool],
    branchPoint: { ...branchPlace(trace, 0), token: 9 },
  });
  expect(request?.branchPoint?.records).toEqual(records);
  expect(request?.mods.map(({ name }) => name)).toEqual(
    (records[0] as RequestRecord).mods.map(({ name }) => name),
  );
  expect(stores.run.getState().from).toBe(id);
});

test("a run at its limit of tokens continues with its own request and twice its own limit", async () => {
  const { stores, requests, records } = await withRun({ maxTokens: 20, seed: 77 });
  const trace = createTraceModel();
  const ended = (changes: Partial<FinishedRecord>) =>
    records.map((record) => (record.type === "finished" ? { ...record, ...changes } : record));
  trace.append(ended({ reason: "length", lengthLimit: "maxTokens" }));
  stores.run.setState({ trace });
  stores.settings.getState().change({ maxTokens: 50, seed: 1 });
  await continueAtEnd(stores);
  const point = requests[1]?.branchPoint;
  expect(requests[1]).toMatchObject({ seed: 77, maxTokens: 40, branchPoint: { token: null, kept: 0 } });
  const at = point?.at ?? -1;
  expect(records[at]?.type).toBe("forwardPass");
  expect(records.slice(at + 1).some((record) => record.type === "forwardPass" && record.before)).toBe(false);
});

test.each([
  ["stopped", { reason: "cancelled" }, { maxTokens: 20, moreTokens: null }],
  ["at its limit", { reason: "length", lengthLimit: "maxTokens" }, { maxTokens: 40, moreTokens: 20 }],
  ["in a full context", { reason: "length", lengthLimit: "context" }, null],
  ["complete", { reason: "stop" }, null],
  ["ended by an error", { reason: "error" }, null],
] as const)("a run that is %s continues: %j", (_name, end, place) => {
  const [first, ...rest] = sampleTrace({ tokens: 20 }).records;
  const trace = createTraceModel();
  const request = { ...(first as RequestRecord), maxTokens: 20 };
  trace.append([request, ...rest.map((each) => (each.type === "finished" ? { ...each, ...end } : each))]);
  const shown = { status: "finished", recorded: false, trace } as const;
  if (place === null) expect(placeToContinue(shown)).toBeNull();
  else expect(placeToContinue(shown)).toMatchObject(place);
  expect(placeToContinue({ ...shown, recorded: true })).toBeNull();
  expect(placeToContinue({ ...shown, status: "paused" })).toBeNull();
});

test("another model is chosen by now: it says which one is needed", async () => {
  const { stores, requests } = await withRun();
  stores.model.getState().choose(createTestCatalogEntry("b").reference);
  await startBranch(stores, 0, 9);
  expect(requests).toHaveLength(1);
  expect(stores.notices.getState().notices.at(-1)?.text).toBe(
    "This run used a: choose that model, then branch again.",
  );
});

test("a run from elsewhere runs nothing before its mods could be read", async () => {
  const { stores, requests } = await withRun();
  stores.run.getState().show(stores.run.getState().trace);
  await startBranch(stores, 0, 9);
  expect(requests).toHaveLength(1);
  expect(stores.notices.getState().notices.at(-1)?.text).toContain("recorded elsewhere");
});

test("loading the model throws: the branch could not start, and says why", async () => {
  const { stores, requests } = await withRun();
  stores.model.setState({
    load: async () => {
      throw new Error("no part of the engine came");
    },
  });
  await startBranch(stores, 0, 9);
  expect(requests).toHaveLength(1);
  const { status, startFailure } = stores.run.getState();
  expect({ status, startFailure }).toEqual({
    status: "finished",
    startFailure: "no part of the engine came",
  });
});
