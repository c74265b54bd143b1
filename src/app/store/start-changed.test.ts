import { expect, test } from "vitest";
import type { RunHandle, Session } from "../../session/client.ts";
import type { RunRequest } from "../../session/protocol.ts";
import { createTraceBuilder, requestRecord } from "../../trace/testing/trace-builder.ts";
import { createTraceModel } from "../../trace/trace-model.ts";
import { fromElsewhere } from "./shown-run.ts";
import { areOtherMods, startChanged } from "./start-changed.ts";
import { catalogEntry, testStores } from "./testing/test-stores.ts";
import { isTextSoFar, textSoFar } from "./text-so-far.ts";

const token = (id: number) => ({ token: id, text: ` ${id}` });
const modelId = requestRecord().model.id;

async function shown(id = modelId, problem: string | null = null) {
  const requests: RunRequest[] = [];
  const session: Partial<Session> = {
    loadModel: async () =>
      ({ id: modelId, file: "", device: "wasm", adapter: "", vocabularySize: 512 }) as never,
    compileProblems: async () => (problem ? [{ message: problem, line: 3, column: 1 }] : []) as never,
    run(request): RunHandle {
      requests.push(request);
      const nothing = {
        stop() {},
        pause() {},
        resume() {},
        stepOnce() {},
        stepEvent() {},
        setBreakpoints() {},
      };
      return { done: new Promise(() => {}), ...nothing };
    },
  };
  const stores = testStores({
    session,
    models: [catalogEntry(id)],
    first: { mods: [{ name: "shout", source: "changed", enabled: true }] },
  });
  await stores.model.getState().choose(catalogEntry(id).reference);
  const run = createTraceBuilder(requestRecord({ mods: [{ name: "shout", source: "as it was" }], seed: 7 }));
  run.prefill([token(1)]);
  for (const each of [10, 11, 12]) run.add([token(each)], "sampled");
  run.finish("stop");
  const trace = createTraceModel();
  trace.append(run.records);
  stores.run.getState().show(trace, { ...fromElsewhere(), id: "origin", recorded: false });
  return { stores, requests };
}

test("what stands there is put first, and the mods of the editor write on: same request, same seed", async () => {
  const { stores, requests } = await shown();
  await startChanged(stores, 2);
  expect(requests).toHaveLength(1);
  const [first, second] = requests[0]?.mods ?? [];
  expect(first).toEqual(textSoFar([10, 11]));
  expect(second).toEqual({ name: "shout", source: "changed" });
  expect(requests[0]).toMatchObject({ seed: 7, messages: requestRecord().messages });
  expect(stores.run.getState()).toMatchObject({ status: "running", from: "origin" });
  expect(stores.run.getState().modIds).toEqual(["", "first-shout"]);
});

test("before the first token there is nothing to put first", async () => {
  const { stores, requests } = await shown();
  await startChanged(stores, 0);
  expect(requests[0]?.mods).toEqual([{ name: "shout", source: "changed" }]);
});

test("another model is not asked to write on", async () => {
  const { stores, requests } = await shown("another/model");
  await startChanged(stores, null);
  expect(requests).toEqual([]);
  expect(stores.notices.getState().notices[0]?.text).toMatch(/made by .*: choose that model/);
});

test("a mod that does not compile is named, and the run stays", async () => {
  const { stores, requests } = await shown(modelId, "A bracket is missing.");
  await startChanged(stores, null);
  expect(requests).toEqual([]);
  expect(stores.run.getState()).toMatchObject({
    status: "finished",
    id: "origin",
    startFailure: expect.stringMatching(/shout does not compile .*line 3.*A bracket is missing/),
  });
});

const mod = (source: string, enabled = true, entry: string | null = null) => ({ source, enabled, entry });

test.each([
  ["the same", [{ source: "a" }], [mod("a")], false],
  ["the same beside one that is off", [{ source: "a" }], [mod("b", false), mod("a")], false],
  ["the same after the text so far", [textSoFar([1]), { source: "a" }], [mod("a")], false],
  ["edited", [{ source: "a" }], [mod("a ")], true],
  ["one more", [{ source: "a" }], [mod("a"), mod("b")], true],
  ["in another order", [{ source: "a" }, { source: "b" }], [mod("b"), mod("a")], true],
  ["another export", [{ source: "a" }], [mod("a", true, "other")], true],
  ["none any more", [{ source: "a" }], [mod("a", false)], true],
])("mods that are %s", (_, ran, now, isOther) => {
  expect(
    areOtherMods(
      ran.map((each) => ({ name: "m", ...each })),
      now,
    ),
  ).toBe(isOther);
});

test("the text so far is known by its beginning", () => {
  expect(isTextSoFar(textSoFar([1, 2]))).toBe(true);
  expect(textSoFar([1, 2]).source).toContain("[1, 2]");
  expect(isTextSoFar({ source: "export default 1;" })).toBe(false);
});
