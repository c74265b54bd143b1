/** Creates a model from its files, on a device that computes it correctly. */
import { messageOf } from "../../../core/base/message-of.ts";
import { timeStage } from "../base/load-timing.ts";
import { queryWebGpuSupport } from "../choose/device.ts";
import type { WeightFile } from "../files/weight-file.ts";
import { createDecoderModel } from "../graph/decoder-model.ts";
import { type ExpandedWeights, expandWeights } from "../graph/expand-weights.ts";
import type { RunnerOptions, WasmGraphRunner } from "../graph/graph-runner.ts";
import { layersStayClosedError, openGraphLayers, throughLibraryReason } from "../graph/layered-graph.ts";
import { passCostOnWasm } from "../graph/pass-cost.ts";
import { parseModel } from "../onnx/codec.ts";
import { type GraphBytes, UnsupportedGraphError, UnsupportedOnDeviceError } from "../onnx/decoder-graph.ts";
import type { GraphSummary } from "../onnx/graph-summary.ts";
import { inspectGraph, webAssemblyFault, webGpuFault } from "../onnx/inspect.ts";
import { withoutOutputHead } from "../onnx/without-head.ts";
import { createWasmRunner } from "../wasm/wasm-runner.ts";
import { createWebGpuRunner } from "../webgpu/webgpu-runner.ts";
import { createOnWebGpu, type DeviceAttemptResult } from "./create-webgpu-model.ts";
import type { CreatedModel, CreateModelOptions } from "./created-model.ts";
import type { RunnerImplementation } from "./implementation.ts";
import {
  addCostToReason,
  refusalInShort,
  refusedByBothError,
  transformersImplementation,
} from "./library-implementation.ts";

/** Our own runners. */
export const ownImplementation: RunnerImplementation = {
  hasKnownPassCost: true,
  onWasm: createWasmRunner,
  onWebGpu: createWebGpuRunner,
};

/** Number of cache rows to allocate at first; doubled as the text grows. */
const initialCacheRows = 512;

/**
 * `auto`: WebGPU if it computes correctly, otherwise WebAssembly; `reason` says which device and why. Graphs that our
 * own runners do not support run through @huggingface/transformers.
 * @throws UnsupportedGraphError if the graph cannot run at all, or not on the requested device; with `openLayers`, also if its
 *   layers are not found.
 * @throws Error if the requested device is missing or the runtime refuses the file; the signal's reason when cancelled.
 */
export async function createModel(options: CreateModelOptions): Promise<CreatedModel> {
  options.signal?.throwIfAborted();
  if (options.openLayers) return createLayered(options);
  const summary = inspectGraph(parseModel(options.graph));
  if (options.embedTokens && options.implementation === "own")
    throw new UnsupportedGraphError(
      `${options.file}: its embeddings are in a separate graph, which Midtoken's own runtime cannot load. Leave out the option "implementation": the model then runs through @huggingface/transformers.`,
    );
  if (options.embedTokens) return throughLibrary(options, summary, "its embeddings are a separate graph");
  if (options.implementation === "transformers")
    return throughLibrary(options, summary, "the option `implementation` asks for it");
  try {
    return await createOnDevice(options, summary, ownImplementation);
  } catch (error) {
    options.signal?.throwIfAborted();
    if (options.implementation === "own" || !isUnknownGraph(error)) throw error;
    return throughLibrary(options, summary, refusalInShort(error)).catch((cause: unknown) => {
      options.signal?.throwIfAborted();
      throw refusedByBothError(error, cause);
    });
  }
}

/** @throws UnsupportedGraphError also if the layers are not found, because no other implementation opens them */
async function createLayered(options: CreateModelOptions): Promise<CreatedModel> {
  if (options.embedTokens || options.implementation === "transformers")
    throw layersStayClosedError(options.file, throughLibraryReason);
  const summary = inspectGraph(parseModel(options.graph));
  const { lensBytes, ...files } = openGraphLayers(options, options.file);
  // WebAssembly holds these weights only once (`runnerOnWasm`).
  const twice = (device: string) => (device === "wasm" ? 0 : lensBytes);
  await options.onLayersFound?.(twice(options.device));
  options.signal?.throwIfAborted();
  const created = await createOnDevice({ ...options, ...files }, summary, ownImplementation);
  return { ...created, lensBytes: twice(created.device) };
}

/** Whether our runners support the graph on no device. */
function isUnknownGraph(error: unknown): error is UnsupportedGraphError {
  return error instanceof UnsupportedGraphError && !(error instanceof UnsupportedOnDeviceError);
}

/** @param why the reason, without a capital and without a full stop */
async function throughLibrary(
  options: CreateModelOptions,
  summary: GraphSummary,
  why: string,
): Promise<CreatedModel> {
  const created = await createOnDevice(options, summary, transformersImplementation);
  try {
    return { ...(await addCostToReason(created, why)), isThroughLibrary: true };
  } catch (error) {
    await created.model.dispose();
    throw error;
  }
}

/** The files of a model to create, with open layers if the caller asked for them. */
type FilesToRun = CreateModelOptions & Pick<RunnerOptions<WeightFile>, "layers">;

async function createOnDevice(
  options: FilesToRun,
  summary: GraphSummary,
  implementation: RunnerImplementation,
): Promise<CreatedModel> {
  if (options.device === "wasm") return createOnWasm(options, summary, { implementation, why: "" });
  const attempt = await attemptWebGpu(options, summary, implementation);
  if ("model" in attempt) return attempt;
  options.signal?.throwIfAborted();
  if (options.device === "webgpu") {
    if (attempt.cause instanceof UnsupportedGraphError) throw attempt.cause;
    throw new Error(`WebGPU cannot be used: ${attempt.why} Choose WebAssembly instead.`, {
      cause: attempt.cause,
    });
  }
  const why = `, because WebGPU cannot be used: ${attempt.why}`;
  return createOnWasm(options, summary, { implementation, why });
}

/** A model on WebGPU, or the reason why there is none. @throws UnsupportedGraphError if no device would run the graph */
async function attemptWebGpu(
  options: FilesToRun,
  summary: GraphSummary,
  implementation: RunnerImplementation,
): Promise<DeviceAttemptResult> {
  const { available, float16, reason } = await queryWebGpuSupport();
  if (!available) return { why: reason, cause: null };
  const fault = webGpuFault(summary, { shaderF16: float16 });
  if (fault) return { why: fault, cause: new UnsupportedOnDeviceError(`${options.file}: ${fault}`) };
  try {
    return await createOnWebGpu({ ...options, summary }, { implementation });
  } catch (error) {
    options.signal?.throwIfAborted();
    if (isUnknownGraph(error)) throw error;
    return { why: messageOf(error), cause: error };
  }
}

async function createOnWasm(
  options: FilesToRun,
  summary: GraphSummary,
  { implementation, why }: { readonly implementation: RunnerImplementation; readonly why: string },
): Promise<CreatedModel> {
  const fault = webAssemblyFault(summary);
  if (fault) throw new UnsupportedOnDeviceError(`${options.file}: ${fault}`);
  options.onStage?.("compile");
  const { runner, note } = await runnerOnWasm(options, summary, implementation);
  const passCost = implementation.hasKnownPassCost ? passCostOnWasm(summary) : undefined;
  const model = createDecoderModel(runner, { ...options, passCost });
  if (options.signal?.aborted) {
    await model.dispose();
    options.signal.throwIfAborted();
  }
  const { threads, threadNote } = runner;
  return {
    model,
    device: "wasm",
    adapter: `WebAssembly, ${threads} ${threads === 1 ? "thread" : "threads"}`,
    reason: [sentence(`The model runs on WebAssembly${note}${why}`), threadNote].filter(Boolean).join(" "),
  };
}

async function runnerOnWasm(
  options: FilesToRun,
  summary: GraphSummary,
  implementation: RunnerImplementation,
): Promise<{ readonly runner: WasmGraphRunner; readonly note: string }> {
  // These files stay open until the runtime has read the weights.
  const held: ExpandedWeights[] = [];
  const expanded = async (files: GraphBytes<WeightFile>): Promise<ExpandedWeights> => {
    const weights = await expandWeights(files);
    held.push(weights);
    return weights;
  };
  try {
    // The lens contains the output matrix and computes the logits too, so its weights are held once.
    const whole = options.layers ? { ...options, graph: withoutOutputHead(options.graph) } : options;
    const { files, note } = await timeStage("rewrite", () => expanded(whole));
    const embedTokens = options.embedTokens && (await expanded(options.embedTokens)).files;
    const layers = options.layers && {
      ...options.layers,
      lens: (await expanded(options.layers.lens)).files,
    };
    const runner = await implementation.onWasm({
      ...options,
      ...files,
      embedTokens,
      layers,
      summary,
      cacheRows: initialCacheRows,
    });
    return { runner, note };
  } finally {
    for (const { close } of held) close();
  }
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
