/** The engine in a page, for the specs beside it: every function here is called from Node. */
import {
  largestDifference,
  logitsFromScratch,
  someTokens,
} from "../../src/core/decoder/ports/language-model.compare.ts";
import {
  type ConformancePart,
  languageModelConformance,
} from "../../src/core/decoder/ports/language-model.conformance.ts";
import { modelLayersConformance } from "../../src/core/decoder/ports/model-layers.conformance.ts";
import { hasWideSubgroups, requestAdapter } from "../../src/runtime/engine/choose/device.ts";
import { createDecoderModel } from "../../src/runtime/engine/graph/decoder-model.ts";
import { checkPasses } from "../../src/runtime/engine/graph/device-check.ts";
import { createModel, ownImplementation } from "../../src/runtime/engine/load/create-model.ts";
import { createOnWebGpu } from "../../src/runtime/engine/load/create-webgpu-model.ts";
import { createTransformersRunner } from "../../src/runtime/engine/transformers/transformers-runner.ts";
import { createWebGpuTensorRuntime } from "../../src/runtime/engine/transformers/webgpu-tensors.ts";
import { createWebGpuRunner } from "../../src/runtime/engine/webgpu/webgpu-runner.ts";
import { type GraphAddress, readGraphFiles } from "./graph-files.ts";
import { onGpu, onWasm, openDevice, sharedDevice, sharedModel, takeModel } from "./test-models.ts";

function argmax(logits: Float32Array): number {
  let best = 0;
  for (let i = 1; i < logits.length; i++) if ((logits[i] as number) > (logits[best] as number)) best = i;
  return best;
}

/** Every device that `work` makes on the way. */
async function capturingDevices<T>(
  work: (devices: readonly GPUDevice[]) => Promise<T>,
): Promise<{ result: T; devices: GPUDevice[] }> {
  const devices: GPUDevice[] = [];
  const original = GPUAdapter.prototype.requestDevice;
  GPUAdapter.prototype.requestDevice = async function (...parts) {
    const device = await original.apply(this, parts);
    devices.push(device);
    return device;
  };
  try {
    return { result: await work(devices), devices };
  } finally {
    GPUAdapter.prototype.requestDevice = original;
  }
}

async function outcome(work: Promise<unknown>) {
  const started = performance.now();
  try {
    await work;
    return { name: "", message: "", cause: "", ms: performance.now() - started };
  } catch (error) {
    const { name, message, cause } = error as Error;
    return { name, message, cause: String(cause), ms: performance.now() - started };
  }
}

/**
 * `narrow`: fewer than the 8 that the runtime assumes, so long passes come out wrong with them. `wrong`: wide enough, and wrong all the
 * same, as llvmpipe's are under its own name (scripts/gpu/README.md).
 */
function subgroupsOf(adapter: GPUAdapter): "narrow" | "wrong" | "right" {
  if (!hasWideSubgroups(adapter)) return "narrow";
  return adapter.info.vendor === "mesa" ? "wrong" : "right";
}

const engine = {
  /** Features of the adapter that the tests' expectations depend on: float16, and subgroups, with which the runtime rounds. */
  async adapter() {
    const adapter = await requestAdapter();
    if (typeof adapter === "string") throw new Error(adapter);
    return { float16: adapter.features.has("shader-f16"), subgroups: subgroupsOf(adapter) };
  },

  /** Logits after a text in one pass. */
  async logits(graph: GraphAddress, tokens: readonly number[], subgroups: boolean) {
    const model = await sharedModel(graph, subgroups);
    return [...(await model.forward(tokens))];
  },

  /** The stream behind each layer at the last token of a text, and the logits. */
  async levels(graph: GraphAddress, tokens: readonly number[], subgroups: boolean) {
    const model = await onGpu(graph, { layers: true, device: await sharedDevice(subgroups) });
    const { layers } = model;
    if (!layers) throw new Error(`${graph.file} has no layers.`);
    const every = Array.from({ length: layers.count }, (_, layer) => layer);
    layers.keep(every);
    const logits = [...(await model.forward(tokens))];
    const streams: number[][] = [];
    for (const layer of every) streams.push([...(await layers.hidden(layer))]);
    await model.dispose();
    return { streams, logits };
  },

  /** Name and failure of each check of these parts; the failure is null if it passed. */
  async conformance(
    graph: GraphAddress,
    parts: readonly ConformancePart[],
    { tolerance, subgroups = false }: { readonly tolerance: number; readonly subgroups?: boolean },
  ) {
    const disposes = parts.includes("calls");
    const create = async ({ cacheRows }: { cacheRows: number }) => {
      if (cacheRows === 256) return disposes ? takeModel(graph, subgroups) : sharedModel(graph, subgroups);
      return onGpu(graph, { cacheRows, device: await sharedDevice(subgroups) });
    };
    const results: { name: string; failure: string | null; ms: number }[] = [];
    for (const { name, part, run } of languageModelConformance(graph.file, create, { tolerance })) {
      if (!parts.includes(part)) continue;
      const { message, ms } = await outcome(run());
      results.push({ name, failure: message || null, ms });
    }
    return results;
  },

  /** The same of reading and steering its layers, on models of their own. */
  async layers(graph: GraphAddress, tolerance: number) {
    const device = await sharedDevice(false);
    const create = {
      plain: () => onGpu(graph, { device }),
      layered: () => onGpu(graph, { device, layers: true }),
    };
    const results: { name: string; failure: string | null; ms: number }[] = [];
    for (const { name, run } of modelLayersConformance(graph.file, create, { tolerance })) {
      const { message, ms } = await outcome(run());
      results.push({ name, failure: message || null, ms });
    }
    return results;
  },

  async greedy(graph: GraphAddress, prompt: number[], count: number) {
    const model = await sharedModel(graph);
    const tokens: number[] = [];
    let logits = await model.forward(prompt);
    while (tokens.length < count) {
      tokens.push(argmax(logits));
      logits = await model.forward(tokens.slice(-1));
    }
    return tokens;
  },

  /** Largest difference between WebGPU's logits and WebAssembly's after a prompt in one pass, per prompt length. */
  async againstWasm(graph: GraphAddress, lengths: number[], subgroups: boolean) {
    const [gpu, wasm] = [await sharedModel(graph, subgroups), await onWasm(graph)];
    const tokens = someTokens(gpu.vocabularySize, Math.max(...lengths), 7);
    const differences: number[] = [];
    for (const length of lengths) {
      gpu.truncate(0);
      wasm.truncate(0);
      const prompt = tokens.slice(0, length);
      differences.push(largestDifference(await gpu.forward(prompt), await wasm.forward(prompt)));
    }
    await wasm.dispose();
    return differences;
  },

  /** Largest difference between the logits after two passes, the second of one token, and after one pass over the same text. */
  async twoPasses(graph: GraphAddress) {
    const model = await sharedModel(graph);
    const text = someTokens(model.vocabularySize, 13, 17);
    await model.forward(text.slice(0, 12));
    const twice = await model.forward(text.slice(12));
    return largestDifference(twice, await logitsFromScratch(model, text));
  },

  /** The result of the check at load, for a device with or without the adapter's subgroups. */
  async passCheck(graph: GraphAddress, subgroups: boolean) {
    return checkPasses(await sharedModel(graph, subgroups));
  },

  /** The choice and the stages of `createModel`. */
  async choose(graph: GraphAddress, device: "auto" | "webgpu" | "wasm") {
    const stages: string[] = [];
    const options = {
      ...(await readGraphFiles(graph)),
      device,
      onStage: (stage: string) => stages.push(stage),
    };
    const { model, ...chosen } = await createModel(options);
    await model.dispose();
    return { ...chosen, stages };
  },

  /** The same with the ways to make a device in a given order. */
  async chooseAmong(graph: GraphAddress, ways: boolean[]) {
    const chosen = await createOnWebGpu(
      { ...(await readGraphFiles(graph)), device: "webgpu" },
      { ways, implementation: ownImplementation },
    );
    if ("why" in chosen) return { reason: chosen.why, passTokens: 0, difference: Number.NaN };
    const wasm = await onWasm(graph);
    const prompt = someTokens(wasm.vocabularySize, 40, 7);
    const difference = largestDifference(await chosen.model.forward(prompt), await wasm.forward(prompt));
    const { passTokens } = chosen.model as unknown as { passTokens: number };
    await Promise.all([chosen.model.dispose(), wasm.dispose()]);
    return { reason: chosen.reason, passTokens, difference };
  },

  /** A run through the library that the runtime refuses, since a cache has the wrong shape; then another model of the same page. */
  async failedLibraryRun(graph: GraphAddress) {
    const options = await readGraphFiles(graph);
    const tensors = await createWebGpuTensorRuntime(await openDevice(false));
    const open = tensors.open.bind(tensors);
    tensors.open = async (...files) => {
      const session = await open(...files);
      const wrong = { "past_key_values.0.key": tensors.zeros("float32", [1, 1, 1]) };
      const run = session.run.bind(session);
      session.run = (feeds) => run(feeds.input_ids?.dims[1] === 5 ? { ...feeds, ...wrong } : feeds);
      return session;
    };
    const graphs = [{ name: "model", ...options }];
    const model = createDecoderModel(
      await createTransformersRunner({ ...options, graphs }, tensors),
      options,
    );
    const before = await model.forward([1, 2, 3]);
    const failed = await outcome(model.forward([1, 2, 3, 4, 5]));
    const after = await outcome(model.forward([1]));
    await model.dispose();
    const again = await sharedModel({ ...graph, throughLibrary: true });
    return { failed, after, difference: largestDifference(before, await again.forward([1, 2, 3])) };
  },

  /** The error for a graph that is refused before it runs, so its device compiles no shader. */
  async refusal(graph: GraphAddress) {
    const device = await openDevice(false);
    const refused = await outcome(onGpu(graph, { device }));
    device.destroy();
    return refused;
  },

  /**
   * Loses the device before or during a pass, then makes the model again from the same bytes. Before a pass the model is one that
   * was chosen and checked; during a pass the device computes what the pass needs, and no more.
   */
  async deviceLost(graph: GraphAddress, during: boolean) {
    const stages: string[] = [];
    const create = async () => {
      if (during) return { model: await onGpu(graph) };
      const files = await readGraphFiles(graph);
      return createModel({ ...files, device: "auto", onStage: (stage) => stages.push(stage) });
    };
    const { result, devices } = await capturingDevices(create);
    const { model, ...chosen } = result;
    const before = await model.forward([1, 2, 3]);
    model.truncate(0);
    if (!during) for (const device of devices) device.destroy();
    const pass = outcome(model.forward(someTokens(model.vocabularySize, 100)));
    if (during) for (const device of devices) device.destroy();
    const lost = await pass;
    const after = await outcome(model.forward([1]));
    const truncate = await outcome((async () => model.truncate(0))());
    await model.dispose();
    const again = await onGpu(graph, { device: await sharedDevice(false) });
    const difference = largestDifference(before, await again.forward([1, 2, 3]));
    await again.dispose();
    return { chosen: { ...chosen, stages }, lost, after, truncate, difference };
  },

  /** Loses the device while it is checked; then how often devices and buffers were given back. */
  async deviceLostInCheck(graph: GraphAddress) {
    const given = { devices: 0, buffers: 0 };
    const originals = { device: GPUDevice.prototype.destroy, buffer: GPUBuffer.prototype.destroy };
    GPUDevice.prototype.destroy = function () {
      given.devices += 1;
      return originals.device.call(this);
    };
    GPUBuffer.prototype.destroy = function () {
      given.buffers += 1;
      return originals.buffer.call(this);
    };
    const options = { ...(await readGraphFiles(graph)), device: "webgpu" as const };
    try {
      const { result } = await capturingDevices((devices) => {
        const onStage = (stage: string) => {
          if (stage === "check") for (const device of devices) originals.device.call(device);
        };
        return outcome(createModel({ ...options, onStage }));
      });
      return { ...result, given };
    } finally {
      GPUDevice.prototype.destroy = originals.device;
      GPUBuffer.prototype.destroy = originals.buffer;
    }
  },

  /** A run that the runtime itself refuses: a cache bound with the wrong number of rows. */
  async failedRun(graph: GraphAddress) {
    const options = await readGraphFiles(graph);
    const runner = await createWebGpuRunner({ ...options, cacheRows: 8 }, await openDevice(false));
    // The model believes in a larger cache than there is, so the run itself fails.
    Object.defineProperty(runner, "cacheRows", { get: () => 64 });
    const model = createDecoderModel(runner, options);
    const first = await outcome(model.forward(someTokens(model.vocabularySize, 20)));
    const second = await outcome(model.forward([1]));
    await model.dispose();
    const again = await onGpu(graph, { device: await sharedDevice(false) });
    const logits = await again.forward([1]);
    await again.dispose();
    return { first, second, finite: logits.every(Number.isFinite) };
  },

  /** Calls at once, on one model and on two, with a device each, against the same calls one by one. */
  async concurrent(graph: GraphAddress) {
    const [a, b] = [await onGpu(graph, { device: await sharedDevice(false) }), await onGpu(graph)];
    const calls = [[1, 2, 3], [4], [5, 6]];
    const together = await Promise.all([a, b].map((m) => Promise.all(calls.map((c) => m.forward(c)))));
    a.truncate(0);
    let difference = 0;
    for (const [i, call] of calls.entries()) {
      const alone = await a.forward(call);
      for (const results of together) {
        difference = Math.max(difference, largestDifference(alone, results[i] as Float32Array));
      }
    }
    const lengths = [a.length, b.length];
    await Promise.all([a.dispose(), b.dispose()]);
    return { difference, lengths };
  },

  /** Addresses that this page asked for, outside its own origin. */
  foreignRequests() {
    return performance
      .getEntriesByType("resource")
      .map(({ name }) => name)
      .filter((name) => !name.startsWith(location.origin));
  },
};

export type EnginePage = typeof engine;
Object.assign(window, { engine });
