/** Several loaded models within a budget, in Node: real loads of the bundled model. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type LoadOptions, loadModel, type ModelBundle } from "../../engine/load/load-model.ts";
import { type ModelHub, startModelHub } from "../../engine/testing/model-hub.ts";
import { LoadedModelCache, type LoadedModelEntry, memoryBytesOf } from "./loaded-model-cache.ts";

let hub: ModelHub;
const ids = ["a", "b", "c"] as const;
type Id = (typeof ids)[number];
beforeAll(async () => {
  hub = await startModelHub(Object.fromEntries(ids.map((id) => [`m/${id}`, "public/models/stories260k"])));
});
afterAll(() => hub?.close());

const dtype = { webgpu: "fp32", wasm: "fp32" };
const choice = (id: Id) => ({
  model: { id, url: hub.url(`m/${id}`), revision: null, dtype },
  device: "wasm" as const,
});

/** A cache, and a log of what it did. */
function watched(budgetBytes: number) {
  const models = new LoadedModelCache(budgetBytes);
  const log: string[] = [];
  const { signal } = new AbortController();
  const load = (id: Id, fail?: () => Error | null) =>
    models.load(choice(id), signal, async (makeRoom) => {
      const error = fail?.();
      if (error) throw error;
      const bundle = await loadModel(choice(id).model, "wasm", { signal, makeRoom } satisfies LoadOptions);
      log.push(`load ${id}`);
      return withLog(bundle, () => log.push(`free ${id}`));
    });
  return { models, log, load };
}

function withLog(bundle: ModelBundle, onFree: () => void): ModelBundle {
  const { model } = bundle;
  const dispose = model.dispose.bind(model);
  model.dispose = () => {
    onFree();
    return dispose();
  };
  return bundle;
}

/** Whether the model answers correctly: its logits after a token equal those of a model that was never freed. */
async function answers({ bundle: { model } }: Awaited<ReturnType<ReturnType<typeof watched>["load"]>>) {
  model.truncate(0);
  return (await model.forward([1])).length;
}

test("models stay while they fit, and the one that was used longest ago goes first", async () => {
  const { models, log, load } = watched(Number.POSITIVE_INFINITY);
  const a = await load("a");
  const each = models.bytes;
  // A heap of its own, which is larger than its weights of 1.3 MB.
  expect(each).toBeGreaterThan(2e6);
  const second = watched(2.5 * each);
  const first = await second.load("a");
  await second.load("b");
  expect(await second.load("a")).toBe(first);
  await second.load("c");
  expect(second.log).toEqual(["load a", "load b", "load c", "free b"]);
  expect(await answers(first)).toBe(512);
  await second.models.freeAll();
  expect(second.models.bytes).toBe(0);
  expect(log).toEqual(["load a"]);
  await models.free(a);
  await expect(a.bundle.model.forward([1])).rejects.toThrow("disposed of");
});

test("one that alone is more than the budget is loaded, without the others", async () => {
  const { log, load } = watched(1);
  await load("a");
  await load("b");
  expect(log).toEqual(["load a", "free a", "load b"]);
});

test("where the memory is short after all, the model is tried once more, alone", async () => {
  const { log, load } = watched(Number.POSITIVE_INFINITY);
  await load("a");
  let tries = 0;
  await load("b", () =>
    tries++ === 0 ? new RangeError("WebAssembly has no room for another 9 MiB.") : null,
  );
  expect(log).toEqual(["load a", "free a", "load b"]);
  await expect(load("c", () => new Error("c is not a valid ONNX file"))).rejects.toThrow("not a valid");
  await expect(load("c", () => new RangeError("no room"))).rejects.toThrow("no room");
  expect(log).toEqual(["load a", "free a", "load b", "free b"]);
});

test("where a device does not say what it holds, files, lens and cache are counted", () => {
  const cacheMemory = { bytes: 7 };
  const bundle = (more: object) => ({ bundle: { model: { cacheMemory }, info: { bytes: 1000 }, ...more } });
  const bytes = (more: object) =>
    memoryBytesOf({ ...bundle(more), kvCache: { prefixes: null } } as unknown as LoadedModelEntry);
  expect(bytes({})).toBe(1007);
  expect(bytes({ lensBytes: 200 })).toBe(1207);
});
