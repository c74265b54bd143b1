/** The page of the layers bench, for what runs on WebGPU: every function here is called from Node. */

import type { LanguageModel } from "../../../src/core/decoder/ports/language-model.ts";
import { queryWebGpuSupport } from "../../../src/runtime/engine/choose/device.ts";
import { createDecoderModel } from "../../../src/runtime/engine/graph/decoder-model.ts";
import { openGraphLayers } from "../../../src/runtime/engine/graph/layered-graph.ts";
import { createModel } from "../../../src/runtime/engine/load/create-model.ts";
import type { CreateModelOptions } from "../../../src/runtime/engine/load/created-model.ts";
import { parseModel } from "../../../src/runtime/engine/onnx/codec.ts";
import { UnsupportedGraphError } from "../../../src/runtime/engine/onnx/decoder-graph.ts";
import { inspectGraph, webGpuFault } from "../../../src/runtime/engine/onnx/inspect.ts";
import { loadWebGpuRuntime } from "../../../src/runtime/engine/ort/runtime.ts";
import { createWebGpuRunner } from "../../../src/runtime/engine/webgpu/webgpu-runner.ts";
import type { GraphAddress } from "../../webgpu/graph-files.ts";
import { createOurDevice } from "../../webgpu/our-device.ts";
import { fetchBytes, fetchJson } from "../decode/bare.ts";
import { type GraphMetrics, graphMetrics, type PlainMetrics, plainMetrics, withLayers } from "./figures.ts";
import { digest } from "./untouched-bytes.ts";

async function filesOf({ folder, file, externalData }: GraphAddress): Promise<CreateModelOptions> {
  const data = `${file}_data`;
  const weights = externalData ? [[data.replace(/.*\//, ""), await fetchBytes(folder + data)] as const] : [];
  return {
    graph: await fetchBytes(folder + file),
    externalData: new Map(weights),
    config: await fetchJson(`${folder}config.json`),
    endOfSequence: [],
    file,
    device: "webgpu",
  };
}

let shared: Promise<GPUDevice> | null = null;

/** One for all graphs: software WebGPU compiles a shader for seconds, once for a device. */
function sharedDevice(): Promise<GPUDevice> {
  shared ??= (async () => {
    const device = await createOurDevice();
    // Models destroy their devices when they are disposed of; this one stays for the next.
    device.destroy = () => undefined;
    // A model that is never disposed of: with a device's last session the runtime forgets its compiled shaders.
    const bundled = { folder: "/models/stories260k/", file: "onnx/model.onnx", externalData: false };
    await onDevice(await filesOf(bundled), device, false);
    return device;
  })();
  return shared;
}

/** Without the checks at load, which take as long as all that is compared here. */
async function onDevice(
  files: CreateModelOptions,
  device: GPUDevice,
  openLayers: boolean,
): Promise<LanguageModel> {
  const summary = inspectGraph(parseModel(files.graph));
  const opened = openLayers ? openGraphLayers(files, files.file) : {};
  const runner = await createWebGpuRunner({ ...files, ...opened, summary, cacheRows: 256 }, device);
  return createDecoderModel(runner, files);
}

/** A graph against itself with its layers opened; a text is why it is refused. */
async function graph(
  address: GraphAddress,
  prompt: readonly number[],
  count: number,
): Promise<GraphMetrics | string> {
  const files = await filesOf(address);
  try {
    const { float16 } = await queryWebGpuSupport();
    const fault = webGpuFault(inspectGraph(parseModel(files.graph)), { shaderF16: float16 });
    if (fault) return fault;
    const device = await sharedDevice();
    const [plain, opened] = [await onDevice(files, device, false), await onDevice(files, device, true)];
    const figures = await graphMetrics(plain, withLayers(opened), prompt, count);
    await Promise.all([plain.dispose(), opened.dispose()]);
    return figures;
  } catch (error) {
    if (error instanceof UnsupportedGraphError) return error.message;
    throw error;
  }
}

/** As `PlainRow`, in lists of numbers: what crosses from Node. */
interface ListedRow {
  readonly steering: readonly (readonly [number, readonly number[]])[];
  readonly hidden: readonly (readonly number[])[];
  readonly logits: readonly number[];
  readonly lens: readonly (readonly number[])[];
}

async function plain(
  address: GraphAddress,
  tokens: readonly number[],
  runs: readonly (readonly ListedRow[])[],
): Promise<PlainMetrics[]> {
  const { model } = await createModel({ ...(await filesOf(address)), openLayers: true });
  const figures: PlainMetrics[] = [];
  for (const rows of runs) {
    const expected = rows.map(({ steering, hidden, logits, lens }) => ({
      steering: steering.map(([layer, vector]) => [layer, Float32Array.from(vector)] as const),
      hidden: hidden.map((row) => Float32Array.from(row)),
      logits: Float32Array.from(logits),
      lens: lens.map((row) => Float32Array.from(row)),
    }));
    figures.push(await plainMetrics(withLayers(model), tokens, expected));
  }
  await model.dispose();
  return figures;
}

/** Digests of the file, and of what the runtime is given where nothing asks for layers. */
async function untouched(address: GraphAddress): Promise<{ file: string; given: string[] }> {
  const files = await filesOf(address);
  const { ort } = await loadWebGpuRuntime();
  const { create } = ort.InferenceSession;
  const given: string[] = [];
  const watched = async (...parts: Parameters<typeof create>) => {
    given.push(await digest(new Uint8Array(parts[0] as unknown as Uint8Array)));
    return create.apply(ort.InferenceSession, parts);
  };
  ort.InferenceSession.create = watched as typeof create;
  try {
    const { model } = await createModel({ ...files, implementation: "own" });
    await model.dispose();
    return { file: await digest(files.graph), given };
  } finally {
    ort.InferenceSession.create = create;
  }
}

const layersBench = { graph, plain, untouched };
export type LayersBench = typeof layersBench;

declare global {
  interface Window {
    layersBench: LayersBench;
  }
}
Object.assign(window, { layersBench });
