import { expect, test } from "vitest";
import type { LoadedModel, LoadProgress, ModelReference, Session } from "../../api/session.ts";
import { advance, createModelStore, loadingFigures, type ModelStatus, parseChoice } from "./model-store.ts";

const reference: ModelReference = {
  id: "a",
  url: "http://localhost/a/",
  revision: null,
  dtype: { webgpu: "q4", wasm: "fp32" },
};
const loading: ModelStatus = { type: "loading", stage: "download", files: [], startedMs: 0, nowMs: 0 };
const progress = (
  file: string,
  loadedBytes: number,
  totalBytes: number,
  fromCache = false,
): LoadProgress => ({
  stage: "download",
  file,
  loadedBytes,
  totalBytes,
  fromCache,
});

test("progress is told by file, rate and time left from what the network brought", () => {
  let status = advance(loading, progress("config.json", 100, 100, true), 1000);
  status = advance(status, progress("model.onnx", 500, 2000), 1000);
  status = advance(status, progress("model.onnx", 1000, 2000), 2000);
  if (status.type !== "loading") throw new Error("not loading");
  expect(status.files).toHaveLength(2);
  expect(loadingFigures(status)).toEqual({ loaded: 1100, total: 2100, rate: 500, secondsLeft: 2 });
});

test("what an earlier download brought does not count as fast", () => {
  const resumed = { ...progress("model.onnx", 1500, 2000), resumedBytes: 1000 };
  const status = advance(loading, resumed, 2000);
  if (status.type !== "loading") throw new Error("not loading");
  expect(loadingFigures(status)).toEqual({ loaded: 1500, total: 2000, rate: 250, secondsLeft: 2 });
});

test("an unknown size gives no time left", () => {
  const status = advance(loading, progress("model.onnx", 1000, 0), 2000);
  if (status.type !== "loading") throw new Error("not loading");
  expect(loadingFigures(status).secondsLeft).toBeNull();
});

let loseModel: () => void = () => {};
const onMemory = () => () => {};
const onModelGone = (listener: () => void) => {
  loseModel = listener;
  return () => {};
};

function sessionOf(load: () => Promise<LoadedModel>) {
  const session = { loadModel: load, onModelGone, onMemory } as unknown as Session;
  return createModelStore(session, { load: () => ({ reference, device: "auto" }), save: () => {} }, () =>
    Promise.reject(new Error("not asked")),
  );
}

test("two calls share one load; a failure can be tried again", async () => {
  let calls = 0;
  const store = sessionOf(() => {
    calls += 1;
    return calls === 1 ? Promise.reject(new Error("404")) : Promise.resolve({ id: "a" } as LoadedModel);
  });
  const [first, second] = await Promise.all([store.getState().load(), store.getState().load()]);
  expect([first, second, calls]).toEqual([null, null, 1]);
  expect(store.getState().status).toEqual({ type: "failed", message: "404" });
  expect(await store.getState().load()).toEqual({ id: "a" });
  expect(store.getState().status.type).toBe("ready");
});

test("a model that is gone is loaded again when it is needed", async () => {
  let calls = 0;
  const store = sessionOf(async () => ({ id: `load ${++calls}` }) as LoadedModel);
  await store.getState().load();
  loseModel();
  expect(store.getState().status.type).toBe("none");
  expect(await store.getState().load()).toEqual({ id: "load 2" });
});

test("choosing the model that failed to load loads it again", async () => {
  let calls = 0;
  const store = sessionOf(() =>
    ++calls === 1 ? Promise.reject(new Error("404")) : Promise.resolve({ id: "a" } as LoadedModel),
  );
  await store.getState().load();
  store.getState().choose(reference);
  expect(store.getState().status.type).toBe("loading");
  expect(await store.getState().load()).toEqual({ id: "a" });
  expect(calls).toBe(2);
});

test("what arrives after a cancel or another choice is dropped", async () => {
  let finish: (loaded: LoadedModel) => void = () => {};
  const store = sessionOf(() => new Promise((resolve) => (finish = resolve)));
  const first = store.getState().load();
  store.getState().cancel();
  finish({ id: "a" } as LoadedModel);
  expect(await first).toBeNull();
  expect(store.getState().status.type).toBe("none");
});

test("Run before the list has come waits for its first model", async () => {
  const loadModel = () => Promise.resolve({ id: "a" } as LoadedModel);
  const session = { loadModel, onModelGone, onMemory } as unknown as Session;
  const store = createModelStore(session, { load: () => null, save: () => {} }, () =>
    Promise.resolve(reference),
  );
  expect(await store.getState().load()).toEqual({ id: "a" });
  expect(store.getState().choice?.reference).toEqual(reference);
});

test("a kept choice is parsed", () => {
  expect(parseChoice({ reference, device: "wasm" })).toEqual({ reference, device: "wasm" });
  expect(parseChoice({ reference: { id: "a" } })).toBeNull();
});
