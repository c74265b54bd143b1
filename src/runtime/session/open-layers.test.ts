/** The engine opens a model's layers when a request first needs them, in Node with the bundled model. For browsers: `e2e/session`. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { loadModel } from "../engine/load/load-model.ts";
import { type ModelHub, startModelHub } from "../engine/testing/model-hub.ts";
import type { RunOptions } from "./page-side/client.ts";
import { RequestRefusedError } from "./shared/refusal.ts";
import {
  bundledModelRepositories,
  type LayeredSession,
  layeredMods,
  modelWithoutFindableLayers,
  openLayeredSession,
  pickedBundledModelFiles,
} from "./testing/layered-session.ts";

const plainText = ", there was a little girl named Lily. She";
const { looks, steers } = layeredMods;

let hub: ModelHub;
let layered: LayeredSession;
beforeAll(async () => {
  hub = await startModelHub(bundledModelRepositories);
});
afterAll(() => hub?.close());
beforeEach(() => {
  layered = openLayeredSession(hub);
});
afterEach(() => layered.session.dispose());

/** The text of the answer. Rejects if a mod fails. */
async function textOf(mods: readonly string[], options?: RunOptions): Promise<string> {
  const { finished } = await layered.start(mods, {}, options).ended;
  if (finished.error) throw new Error(finished.error.message);
  return finished.text;
}

describe("a request whose mod reads layers", () => {
  test("opens them once, says so, and records their sizes; the opened model serves plain requests too", async () => {
    await layered.load();
    expect(await textOf([])).toBe(plainText);
    const heard: string[] = [];
    const onOpening: RunOptions["onOpening"] = (opening) =>
      heard.push(opening ? `${opening.model} ${opening.progress?.stage ?? "begins"}` : "over");
    const first = await layered.start([looks], {}, { onOpening }).ended;
    expect(first.finished).toMatchObject({ error: null, text: plainText });
    expect(first.request.model.layers).toEqual({ layerCount: 5, hiddenSize: 64 });
    expect(heard[0]).toBe("midtoken/stories260k begins");
    expect(heard.slice(-2)).toEqual(["midtoken/stories260k compile", "over"]);
    expect(heard.filter((each) => each === "over")).toHaveLength(1);
    const again = vi.fn();
    expect(await textOf([looks], { onOpening: again })).toBe(plainText);
    expect(again).not.toHaveBeenCalled();
    const plain = await layered.start([]).ended;
    expect(plain.finished.text).toBe(plainText);
    expect(plain.request.model).not.toHaveProperty("layers");
    expect(layered.log).toEqual(["load", "load layers", "free"]);
    expect(layered.gone()).toBe(0);
  });

  test("is steered", async () => {
    await layered.load();
    const steered = await textOf([steers]);
    expect(steered).not.toBe(plainText);
    expect(await textOf([])).toBe(plainText);
    expect(await textOf([steers])).toBe(steered);
  });

  test("without such a request nothing is loaded anew", async () => {
    await layered.load();
    const onOpening = vi.fn();
    await textOf([], { onOpening });
    await textOf([`import { mod } from "midtoken/mod"; export default mod(() => {});`], { onOpening });
    expect(onOpening).not.toHaveBeenCalled();
    expect(layered.log).toEqual(["load"]);
    expect(layered.memoryReports.at(-1)?.model).not.toHaveProperty("lensBytes");
  });

  test("opens files that the user picked, from them", async () => {
    const files = pickedBundledModelFiles();
    await layered.load({ files });
    const asked = hub.requests.length;
    expect(await textOf([looks])).toBe(plainText);
    expect(hub.requests).toHaveLength(asked);
    expect(layered.log).toEqual(["load", "load layers", "free"]);
  });

  test("takes the same weights on the same device, though nothing was chosen when it was loaded first", async () => {
    const loads: unknown[] = [];
    layered.loadBy((reference, device, options) => {
      loads.push([reference.dtype, device]);
      return loadModel({ ...reference, dtype: { webgpu: "q4", wasm: "q4" } }, "wasm", options);
    });
    await layered.load();
    await textOf([looks]);
    expect(loads).toEqual([
      [{ webgpu: "fp32", wasm: "fp32" }, "wasm"],
      [{ webgpu: "q4", wasm: "q4" }, "wasm"],
    ]);
  });

  test("finds them open where the model was loaded so, again after the engine was let go", async () => {
    await layered.load();
    await layered.load({ openLayers: true });
    const onOpening = vi.fn();
    expect(await textOf([looks], { onOpening })).toBe(plainText);
    expect(layered.session.release()).toBe(true);
    expect(await textOf([looks], { onOpening })).toBe(plainText);
    expect(onOpening).not.toHaveBeenCalled();
    // The closed model is freed, because it is useless now. The first engine's model ended with that engine.
    expect(layered.log).toEqual(["load", "free", "load layers", "load layers"]);
  });
});

describe("memory", () => {
  test("on WebAssembly an opened model takes no more, and both take room until the closed one goes", async () => {
    await layered.load();
    await textOf([]);
    const before = layered.memoryReports.at(-1)?.model;
    await textOf([looks]);
    await vi.waitFor(() => expect(layered.memoryReports.at(-1)?.modelCount).toBe(1));
    const after = layered.memoryReports.at(-1)?.model;
    expect(after?.lensBytes).toBe(0);
    expect(after?.bytes).toBeLessThan((before?.bytes ?? Number.NaN) * 1.02);
    // For a while, both models are loaded.
    const most = Math.max(...layered.memoryReports.map((memory) => memory?.bytes ?? 0));
    expect(most).toBeGreaterThan((before?.bytes ?? 0) + 1e6);
  });

  test("where the budget does not hold both, the closed one goes first", async () => {
    await layered.load();
    layered.session.setMemoryBudget(1);
    expect(await textOf([looks])).toBe(plainText);
    expect(layered.log).toEqual(["load", "free", "load layers"]);
    expect(layered.gone()).toBe(0);
  });

  test("a stop then leaves no model, which the page hears, and the next request loads it", async () => {
    await layered.load();
    layered.session.setMemoryBudget(1);
    stopWhileOpening();
    const stopped = layered.start([looks], {}, { onOpening: () => stop(stopped) });
    await expect(stopped.ended).rejects.toMatchObject({ name: "AbortError" });
    expect(layered.gone()).toBe(1);
    layered.loadBy(loadModel);
    expect(await textOf([])).toBe(plainText);
    expect(layered.log).toEqual(["load", "free", "load"]);
  });
});

/** Opening continues when there is memory for it, until it is cancelled. */
function stopWhileOpening(onWaiting: () => void = () => {}): void {
  layered.loadBy(async (reference, device, options) => {
    if (!options?.openLayers) return loadModel(reference, device, options);
    await options.makeRoom?.(1e6);
    onWaiting();
    options.onProgress?.({ stage: "check", file: "", loadedBytes: 0, totalBytes: 0, fromCache: false });
    return new Promise((_, reject) => {
      const { signal } = options;
      signal?.addEventListener("abort", () => reject(signal.reason));
    });
  });
}

const stop = ({ handle }: ReturnType<LayeredSession["start"]>) => setTimeout(() => handle.stop(), 5);

describe("a stop while layers are opened", () => {
  test("is heard, and leaves the closed model as it was", async () => {
    await layered.load();
    stopWhileOpening();
    const stopped = layered.start([looks], {}, { onOpening: (opening) => opening && stop(stopped) });
    await expect(stopped.ended).rejects.toMatchObject({
      name: "AbortError",
      message: "The request was stopped before it began.",
    });
    expect(stopped.records).toEqual([]);
    expect(await textOf([])).toBe(plainText);
    expect([layered.gone(), layered.threads.length]).toEqual([0, 1]);
    layered.loadBy(loadModel);
    expect(await textOf([looks])).toBe(plainText);
    expect(layered.log).toEqual(["load", "load layers", "free"]);
  });

  test("that the worker does not hear ends the worker; what waited behind it begins anew", async () => {
    await layered.load();
    stopWhileOpening(() => layered.threads.at(-1)?.hang());
    const waiting: ReturnType<LayeredSession["start"]>[] = [];
    const stopped = layered.start(
      [looks],
      {},
      {
        onOpening() {
          if (waiting.length === 0) waiting.push(layered.start([]));
          stop(stopped);
        },
      },
    );
    await expect(stopped.ended).rejects.toMatchObject({ name: "AbortError" });
    expect((await waiting[0]?.ended)?.finished.text).toBe(plainText);
    expect([layered.gone(), layered.threads.length]).toEqual([1, 2]);
  });

  test("that came before its turn opens nothing", async () => {
    await layered.load();
    const first = layered.start([], { maxTokens: 200 });
    const second = layered.start([looks]);
    await vi.waitFor(() => expect(first.records.length).toBeGreaterThan(0));
    second.handle.stop();
    first.handle.stop();
    await expect(second.ended).rejects.toMatchObject({ name: "AbortError" });
    expect(layered.log).toEqual(["load"]);
  });
});

describe("refused, with the model as it was", () => {
  test("a graph of no known shape, though the memory does not hold two models", async () => {
    await layered.load({ files: modelWithoutFindableLayers() });
    layered.session.setMemoryBudget(1);
    const refused = await layered.start([looks]).ended.catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(RequestRefusedError);
    expect((refused as Error).message).toMatch(
      /^The layers of onnx\/model\.onnx cannot be read or steered: no node adds .*another export of the model\.$/,
    );
    expect(await textOf([])).toBe(plainText);
    expect(layered.log).toEqual(["load"]);
    expect(layered.gone()).toBe(0);
  });

  test.each<[string, () => void, RegExp]>([
    [
      "a model that runs through the library",
      () =>
        layered.loadBy(async (...args) => ({
          ...(await loadModel(...args)),
          isThroughLibrary: true as const,
        })),
      /cannot be read or steered: it runs through @huggingface\/transformers\. Load the model without layers/,
    ],
    [
      "a loader that knows no layers",
      () =>
        layered.loadBy((reference, device, options) =>
          loadModel(reference, device, { ...options, openLayers: false }),
        ),
      /cannot be read or steered: the model was loaded in a way that gives no access to its layers/,
    ],
  ])("%s", async (_, before, message) => {
    before();
    await layered.load();
    const refused = await layered.start([looks]).ended.catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(RequestRefusedError);
    expect((refused as Error).message).toMatch(message);
    expect(await textOf([])).toBe(plainText);
    expect(layered.gone()).toBe(0);
  });

  test("files that are gone: it says which, and the closed model goes on", async () => {
    await layered.load();
    hub.faults.set("config.json", { kind: "status", status: 503 });
    const failed = await layered.start([looks]).ended.catch((error: unknown) => error);
    hub.faults.clear();
    expect(failed).not.toBeInstanceOf(RequestRefusedError);
    expect((failed as Error).message).toMatch(/config\.json could not be fetched/);
    expect(await textOf([])).toBe(plainText);
  });
});
