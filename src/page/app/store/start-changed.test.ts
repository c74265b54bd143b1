import { beforeEach, expect, test, vi } from "vitest";
import { defaultParts, leftOutOf, reduceToLinkParts } from "../../../core/trace/file/project.ts";
import { TRACE_VERSION } from "../../../core/trace/format/format.ts";
import { createTraceModel } from "../../../core/trace/model/trace-model.ts";
import {
  createTraceBuilder,
  fault,
  noCatchUp,
  requestRecord,
} from "../../../core/trace/testing/trace-builder.ts";
import type { RunHandle, Session } from "../../../runtime/session/page-side/session.ts";
import type { RunRequest } from "../../../runtime/session/shared/requests.ts";
import { createImportedRunFields } from "./shown-run.ts";
import {
  areOtherMods,
  continueWithChangedMods,
  placesToContinue,
  replacedModIndices,
} from "./start-changed.ts";
import { createTestRunHandle } from "./testing/run-handle.ts";
import { createTestCatalogEntry, createTestStores } from "./testing/test-stores.ts";

/** A page that stands alone, or that `parent` shows. */
function standIn(parent: object | null): void {
  const page = { location: { origin: "https://here" } };
  vi.stubGlobal("window", Object.assign(page, { parent: parent ?? page }));
}
beforeEach(() => standIn(null));

const token = (id: number) => ({ token: id, text: ` ${id}` });
const modelId = requestRecord().model.id;

async function shown(
  id = modelId,
  problem: string | null = null,
  reason: "stop" | "cancelled" | "error" | "length" = "stop",
) {
  const requests: RunRequest[] = [];
  const session: Partial<Session> = {
    loadModel: async () =>
      ({ id: modelId, file: "", device: "wasm", adapter: "", vocabularySize: 512 }) as never,
    compileProblems: async () => (problem ? [{ message: problem, line: 3, column: 1 }] : []) as never,
    run(request): RunHandle {
      requests.push(request);
      return createTestRunHandle(new Promise(() => {}));
    },
  };
  const stores = createTestStores({
    session,
    models: [createTestCatalogEntry(id)],
    first: { mods: [{ name: "shout", source: "changed", enabled: true }] },
  });
  await stores.model.getState().choose(createTestCatalogEntry(id).reference);
  const run = createTraceBuilder(requestRecord({ mods: [{ name: "shout", source: "as it was" }], seed: 7 }));
  run.prefill([token(1)]);
  for (const each of [10, 11, 12]) {
    run.forward({ entropy: 1, top: [] });
    run.sample(token(each), {});
    run.add([token(each)], "sampled");
    const failed = reason === "error" && each === 12 ? { fault: fault("threw", "no") } : {};
    run.call(0, "added", { type: "noop" }, failed);
  }
  run.finish(reason);
  const trace = createTraceModel();
  trace.append(run.records);
  stores.run.getState().show(trace, { ...createImportedRunFields(), id: "origin", recorded: false });
  return { stores, requests, records: [...run.records] };
}

test("a branch: the records up to there, the mods of the editor, the run's own request and seed", async () => {
  const { stores, requests, records } = await shown();
  await continueWithChangedMods(stores, 2);
  expect(requests).toHaveLength(1);
  expect(requests[0]).toMatchObject({
    seed: 7,
    messages: requestRecord().messages,
    mods: [{ name: "shout", source: "changed" }],
    branchPoint: { records, token: null, follows: [0], kept: 0 },
  });
  expect(records[requests[0]?.branchPoint?.at ?? -1]).toMatchObject({ type: "forwardPass", step: 2 });
  expect(stores.run.getState()).toMatchObject({ status: "running", from: "origin", modIds: ["first-shout"] });
});

test("a run that was stopped goes on at its end, which is not taken over", async () => {
  const { stores, requests, records } = await shown(modelId, null, "cancelled");
  await continueWithChangedMods(stores, null);
  expect(requests[0]?.branchPoint?.at).toBe(records.length - 1);
});

test("a run at its limit of tokens continues at its end with changed mods and twice its limit", async () => {
  const { stores, requests, records } = await shown(modelId, null, "length");
  const { maxTokens } = requestRecord();
  await continueWithChangedMods(stores, null);
  expect(requests[0]).toMatchObject({ maxTokens: 2 * maxTokens, mods: [{ source: "changed" }] });
  expect(requests[0]?.branchPoint?.at).toBe(records.length - 1);
  const other = await shown(modelId, null, "length");
  await continueWithChangedMods(other.stores, 1);
  expect(other.requests[0]).toMatchObject({ maxTokens });
});

test("a run that a mod ended goes on with the event at which it failed", async () => {
  const { stores, requests, records } = await shown(modelId, null, "error");
  await continueWithChangedMods(stores, null);
  const at = requests[0]?.branchPoint?.at ?? -1;
  expect(records[at - 1]?.type).toBe("added");
  expect(records.slice(at).map(({ type }) => type)).toEqual(["modCall", "finished"]);
});

test("a run from elsewhere goes on with the user's own mods; nothing of its own mods is sent", async () => {
  const { stores, requests } = await shown();
  stores.run.getState().show(stores.run.getState().trace);
  await continueWithChangedMods(stores, 1);
  expect(requests[0]?.mods).toEqual([{ name: "shout", source: "changed" }]);
  expect(requests[0]?.branchPoint?.follows).toEqual([0]);
});

test("another site that shows the page makes it run nothing", async () => {
  const { stores, requests } = await shown();
  standIn({ location: { origin: "https://elsewhere" } });
  await continueWithChangedMods(stores, 1);
  expect(requests).toEqual([]);
  expect(stores.notices.getState().notices.at(-1)?.text).toMatch(/This page is shown inside another site/);
});

test.each([
  ["prompt", /left out the prompt/],
  ["tokenIds", /left out the token ids/],
] as const)("a link that left out its %s says so and runs nothing", async (part, words) => {
  const { stores, requests, records } = await shown();
  const without = part === "tokenIds" ? { tokenIds: false } : { prompt: false };
  const parts = { ...defaultParts, ...without };
  const trace = createTraceModel(new Set(leftOutOf(parts)));
  trace.append(reduceToLinkParts({ version: TRACE_VERSION, records }, parts).records);
  stores.run.getState().show(trace);
  await continueWithChangedMods(stores, 1);
  expect(requests).toEqual([]);
  expect(stores.notices.getState().notices.at(-1)?.text).toMatch(words);
});

test("another model is not asked to write on", async () => {
  const { stores, requests } = await shown("another/model");
  await continueWithChangedMods(stores, null);
  expect(requests).toEqual([]);
  expect(stores.notices.getState().notices[0]?.text).toMatch(/This run used .*: choose that model/);
});

test("a mod that does not compile is named, and the run stays", async () => {
  const { stores, requests } = await shown(modelId, "A bracket is missing.");
  await continueWithChangedMods(stores, null);
  expect(requests).toEqual([]);
  expect(stores.run.getState()).toMatchObject({
    status: "finished",
    id: "origin",
    startFailure: expect.stringMatching(
      /shout does not compile .*line 3.*A bracket is missing\. Fix the mod, then press Run\.$/,
    ),
  });
});

const mod = (source: string, enabled = true, entry: string | null = null) => ({ source, enabled, entry });
const ranWith = (mods: readonly { readonly name?: string; readonly source: string }[], parentMods = 0) =>
  requestRecord({
    mods: mods.map((each) => ({ name: "m", ...each })),
    branch: { ...noCatchUp, requestId: "r", index: 1, isChosen: false, caughtUp: 5, parentMods },
  });

test.each([
  ["the same", [{ source: "a" }], 0, [mod("a")], false],
  ["the same beside one that is off", [{ source: "a" }], 0, [mod("b", false), mod("a")], false],
  ["the same as those that went on", [{ source: "a" }, { source: "b" }], 1, [mod("a")], false],
  ["those from before the branch", [{ source: "a" }, { source: "b" }], 1, [mod("b")], true],
  ["edited", [{ source: "a" }], 0, [mod("a ")], true],
  ["one more", [{ source: "a" }], 0, [mod("a"), mod("b")], true],
  ["in another order", [{ source: "a" }, { source: "b" }], 0, [mod("b"), mod("a")], true],
  ["another export", [{ source: "a" }], 0, [mod("a", true, "other")], true],
  ["none any more", [{ source: "a" }], 0, [mod("a", false)], true],
])("mods that are %s", (_, ran, parentMods, now, isOther) => {
  expect(areOtherMods(ranWith(ran, parentMods), now)).toBe(isOther);
});

const named = (...names: string[]) =>
  names.map((each) => ({ id: each.toLowerCase(), name: each.slice(0, 1) }));

test.each<[string, string[], string[], string[], (number | null)[]]>([
  ["by their ids", ["x", "y"], ["a1", "b1"], ["B1", "A1"], [1, 0]],
  ["a renamed one by its id", ["x"], ["a1"], ["A1"], [0]],
  ["by name, in a run from elsewhere", ["A", "B"], [], ["B9", "A9", "C9"], [1, 0, null]],
  ["a second one of the name is new", ["A"], [], ["A8", "A9"], [0, null]],
  ["a copy beside the one that ran is new", ["A"], ["a1"], ["A2", "A1"], [null, 0]],
  ["in place of one that is no longer there", ["A"], ["a1"], ["A2"], [0]],
])("mods follow on those that ran: %s", (_, ran, ids, now, expected) => {
  expect(replacedModIndices(ranWith(ran.map((name) => ({ name, source: "s" }))), ids, named(...now))).toEqual(
    expected,
  );
});

test.each([
  ["ended, nothing selected", "finished", "stop", null, []],
  ["ended, a token selected", "finished", "stop", 1, [1]],
  ["ended, another run's token selected", "finished", "stop", 9, []],
  ["stopped", "finished", "cancelled", 1, [null, 1]],
  ["at its limit of tokens", "finished", "length", 1, [null, 1]],
  ["failed", "failed", "error", null, [null]],
  ["paused", "paused", "stop", 0, [null, 0]],
  ["running", "running", "stop", 0, []],
] as const)("a run that is %s goes on from there", async (_, status, reason, cursor, expected) => {
  const { stores } = await shown(modelId, null, reason);
  const { trace } = stores.run.getState();
  const selection = cursor === null ? null : { anchor: cursor, cursor };
  expect(placesToContinue({ status, trace, selection }, [mod("changed")])).toEqual(expected);
  expect(placesToContinue({ status, trace, selection }, [mod("as it was")])).toEqual([]);
});
