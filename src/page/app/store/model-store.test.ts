import { expect, test } from "vitest";
import type { Session } from "../../../runtime/session/page-side/session.ts";
import type { LoadedModel } from "../../../runtime/session/shared/loading.ts";
import type { LoadProgress, ModelReference } from "../../../runtime/session/shared/protocol.ts";
import {
  createModelStore,
  loadingMetrics,
  type ModelStatus,
  modelStatusAfter,
  parseChosenModel,
} from "./model-store.ts";

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
  let status = modelStatusAfter(loading, progress("config.json", 100, 100, true), 1000);
  status = modelStatusAfter(status, progress("model.onnx", 500, 2000), 1000);
  status = modelStatusAfter(status, progress("model.onnx", 1000, 2000), 2000);
  if (status.type !== "loading") throw new Error("not loading");
  expect(status.files).toHaveLength(2);
  expect(loadingMetrics(status)).toEqual({ loaded: 1100, total: 2100, rate: 500, secondsLeft: 2 });
});

test("what an earlier download brought does not count as fast", () => {
  const resumed = { ...progress("model.onnx", 1500, 2000), resumedBytes: 1000 };
  const status = modelStatusAfter(loading, resumed, 2000);
  if (status.type !== "loading") throw new Error("not loading");
  expect(loadingMetrics(status)).toEqual({ loaded: 1500, total: 2000, rate: 250, secondsLeft: 2 });
});

test("an unknown size gives no time left", () => {
  const status = modelStatusAfter(loading, progress("model.onnx", 1000, 0), 2000);
  if (status.type !== "loading") throw new Error("not loading");
  expect(loadingMetrics(status).secondsLeft).toBeNull();
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

/** A session whose loads are told and ended by the test. */
function heldSession() {
  const loads: { onProgress(progress: LoadProgress): void; signal: AbortSignal; finish(id: string): void }[] =
    [];
  const loadModel = (_: unknown, __: unknown, options: Parameters<Session["loadModel"]>[2]) =>
    new Promise<LoadedModel>((resolve, reject) => {
      const { signal, onProgress } = options;
      signal.addEventListener("abort", () => reject(signal.reason));
      loads.push({ signal, onProgress, finish: (id) => resolve({ id } as LoadedModel) });
    });
  const session = { loadModel, onModelGone, onMemory } as unknown as Session;
  const kept = { load: () => ({ reference, device: "auto" }) as const, save: () => {} };
  return { loads, store: createModelStore(session, kept, () => Promise.reject(new Error("not asked"))) };
}

test("a download rests and goes on, and the run that waits for it goes on waiting", async () => {
  const { loads, store } = heldSession();
  const { load, pause } = store.getState();
  const waiting = load();
  pause();
  expect(store.getState().status.type).toBe("loading");
  loads[0]?.onProgress({ ...progress("onnx/model.onnx", 40, 100), resumedBytes: 0 });
  pause();
  expect(loads[0]?.signal.aborted).toBe(true);
  const files = [
    { file: "onnx/model.onnx", loadedBytes: 40, totalBytes: 100, fromCache: false, resumedBytes: 0 },
  ];
  expect(store.getState().status).toEqual({ type: "paused", files });
  // Late progress of the ended load, and its end, change nothing.
  loads[0]?.onProgress({ ...progress("onnx/model.onnx", 41, 100), resumedBytes: 0 });
  await new Promise((resolve) => setTimeout(resolve, 0));
  expect(store.getState().status.type).toBe("paused");
  const again = load();
  expect(store.getState().status.type).toBe("loading");
  expect(loads).toHaveLength(2);
  loads[1]?.finish("a");
  expect(await Promise.all([waiting, again])).toEqual([{ id: "a" }, { id: "a" }]);
  expect(store.getState().status.type).toBe("ready");
});

test.each<[string, (store: ReturnType<typeof heldSession>["store"]) => void]>([
  ["cancelled", (store) => store.getState().cancel()],
  ["another device", (store) => store.getState().setDevice("wasm")],
  ["another model", (store) => store.getState().choose({ ...reference, url: "http://localhost/b/" })],
])("a download that rests is ended by whoever wants it no longer: %s", async (_, act) => {
  const { loads, store } = heldSession();
  const waiting = store.getState().load();
  loads[0]?.onProgress(progress("onnx/model.onnx", 40, 100));
  store.getState().pause();
  act(store);
  expect(await waiting).toBeNull();
  expect(store.getState().status).toEqual({ type: "none" });
  expect(loads).toHaveLength(1);
});

test("what follows the download does not rest", () => {
  const { loads, store } = heldSession();
  void store.getState().load();
  loads[0]?.onProgress({ ...progress("onnx/model.onnx", 100, 100), stage: "compile" });
  store.getState().pause();
  expect(store.getState().status.type).toBe("loading");
  expect(loads[0]?.signal.aborted).toBe(false);
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
  expect(parseChosenModel({ reference, device: "wasm" })).toEqual({ reference, device: "wasm" });
  expect(parseChosenModel({ reference: { id: "a" } })).toBeNull();
  const onServer = { ...reference, server: "http://127.0.0.1:9931" };
  expect(parseChosenModel({ reference: onServer, device: "wasm" })).toEqual({
    reference: onServer,
    device: "wasm",
  });
});

test("the same folder on a server is another choice", () => {
  const kept = { load: () => null, save() {} };
  const session = { onModelGone: () => () => {}, onMemory: () => () => {} } as unknown as Session;
  const store = createModelStore(session, kept, async () => reference);
  store.getState().choose(reference);
  const here = store.getState().choice;
  store.getState().choose({ ...reference, server: "http://127.0.0.1:9931" });
  expect(store.getState().choice).not.toBe(here);
  expect(store.getState().choice?.reference.server).toBe("http://127.0.0.1:9931");
});
