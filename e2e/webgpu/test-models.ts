/** Models for the tests on the engine's page. Tests share devices and models, because software WebGPU compiles shaders for seconds. */
import type { LanguageModel } from "../../src/core/decoder/ports/language-model.ts";
import { createGpuDevice, requestAdapter } from "../../src/runtime/engine/choose/device.ts";
import { openWeights } from "../../src/runtime/engine/files/weight-file.ts";
import { createDecoderModel } from "../../src/runtime/engine/graph/decoder-model.ts";
import { openGraphLayers } from "../../src/runtime/engine/graph/layered-graph.ts";
import { ownImplementation } from "../../src/runtime/engine/load/create-model.ts";
import { transformersImplementation } from "../../src/runtime/engine/load/library-implementation.ts";
import { createWasmRunner } from "../../src/runtime/engine/wasm/wasm-runner.ts";
import { type GraphAddress, readGraphFiles } from "./graph-files.ts";

export async function openDevice(subgroups: boolean): Promise<GPUDevice> {
  const adapter = await requestAdapter();
  if (typeof adapter === "string") throw new Error(adapter);
  return createGpuDevice(adapter, { subgroups });
}

interface GpuOptions {
  readonly subgroups?: boolean;
  readonly cacheRows?: number;
  readonly device?: GPUDevice;
  readonly layers?: boolean;
}

export async function onGpu(graph: GraphAddress, options: GpuOptions = {}): Promise<LanguageModel> {
  const { subgroups = false, cacheRows = 256, device = await openDevice(subgroups), layers } = options;
  const given = await readGraphFiles(graph);
  const files = layers ? { ...given, ...openGraphLayers(given, graph.file) } : given;
  const { onWebGpu } = graph.throughLibrary ? transformersImplementation : ownImplementation;
  return createDecoderModel(await onWebGpu({ ...files, cacheRows }, device), files);
}

/**
 * Without and with the adapter's subgroups: one device each for all tests that do not need their own. Software WebGPU compiles
 * a shader for seconds, once for a device.
 */
const devices = new Map<boolean, Promise<GPUDevice>>();

export function sharedDevice(subgroups: boolean): Promise<GPUDevice> {
  const known = devices.get(subgroups);
  if (known) return known;
  const device = openDevice(subgroups).then(async (made) => {
    // Models destroy their devices when they are disposed of; this one stays for the next.
    made.destroy = () => undefined;
    // A model that is never disposed of: with a device's last session the runtime forgets its compiled shaders.
    const bundled = { folder: "/models/stories260k/", file: "onnx/model.onnx", externalData: false };
    await onGpu(bundled, { device: made });
    return made;
  });
  devices.set(subgroups, device);
  return device;
}

/** The model that the last test left, and what it was made of: the tests of a graph stand together. */
let kept: { readonly key: string; readonly model: Promise<LanguageModel> } | null = null;

/** A model on a shared device, with an empty cache. The next test of the same graph finds it; a test of another ends it. */
export async function sharedModel(graph: GraphAddress, subgroups = false): Promise<LanguageModel> {
  const key = JSON.stringify([graph, subgroups]);
  if (kept?.key !== key) {
    await (await kept?.model)?.dispose();
    const model = sharedDevice(subgroups).then((device) => onGpu(graph, { subgroups, device }));
    kept = { key, model };
  }
  const model = await kept.model;
  model.truncate(0);
  return model;
}

/** The same for a caller that disposes of it. */
export async function takeModel(graph: GraphAddress, subgroups: boolean): Promise<LanguageModel> {
  const model = await sharedModel(graph, subgroups);
  kept = null;
  return model;
}

export async function onWasm(graph: GraphAddress): Promise<LanguageModel> {
  const options = await readGraphFiles(graph);
  const { data: externalData } = await openWeights(options.externalData);
  const files = { ...options, externalData, embedTokens: undefined };
  return createDecoderModel(await createWasmRunner({ ...files, cacheRows: 256 }), options);
}
