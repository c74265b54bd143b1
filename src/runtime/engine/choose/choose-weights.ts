/**
 * Chooses the weights of a model for a device, with a reason in words, from the limits of the adapter, the memory and the
 * model's metadata. Pure.
 */
import { formatBytes } from "../../../core/base/number-text.ts";
import type { ListedWeights } from "../base/dtype.ts";
import { type Dtype, isFloat16 } from "../base/dtype.ts";
import { cacheBytesPerToken, type ModelArchitecture, type ModelNeed } from "./catalog.ts";

/** A device's metadata, known before anything is downloaded. */
export interface DeviceMetadata {
  /** Null without WebGPU; `withoutWebGpu` then says why. */
  readonly webgpu: AdapterMetadata | null;
  /** A sentence; empty if there is WebGPU. */
  readonly withoutWebGpu: string;
  /** The memory of the whole machine, if the browser reports it; null if it reports nothing, or no more than "at least 8 GB". */
  readonly memoryBytes: number | null;
}

export interface AdapterMetadata {
  /** The adapter's own name. */
  readonly name: string;
  /** `shader-f16`. */
  readonly float16: boolean;
  /** Whether the adapter computes on the CPU. */
  readonly isSoftware: boolean;
  /** The largest buffer, and the largest part of a buffer that a shader can bind. */
  readonly maxBufferBytes: number;
  readonly maxBindingBytes: number;
}

/** The metadata of a model before its weights are downloaded. */
export interface ModelMetadata {
  readonly architecture: ModelArchitecture | null;
  readonly float16Overflows: boolean;
  readonly needs: readonly ModelNeed[];
}

/**
 * - `good`: made for this device;
 * - `poor`: it may run, but other weights or another device would do better;
 * - `impossible`: it would fail, so it is not fetched or loaded unless someone insists.
 */
export type Fitness = "good" | "poor" | "impossible";

/** Whether weights suit a device, with the reason as a sentence. */
export interface Judgement {
  readonly fitness: Fitness;
  readonly reason: string;
}

export interface JudgedWeights extends ListedWeights, Judgement {
  /** The device on which these weights run best. */
  readonly device: "webgpu" | "wasm";
  /** The first possible weights of a list are recommended. */
  readonly isRecommended: boolean;
}

/** Weights named by the caller. The name may be wrong: loading then refuses it. */
type WeightsSize = Pick<ListedWeights, "bytes"> & { readonly dtype: string };

/** Number of cache rows that the engine allocates at first on WebGPU. */
const firstCacheRows = 1024;
/** The share of the machine's memory that a model may use; browser, page and operating system need the rest. */
const largestMemoryShare = 0.7;
/** Largest weights on WebAssembly: its heap has 4 GB, and the runtime holds the weights twice while it starts. */
const mostWasmBytes = 2 ** 31;
/** With more bytes, a token takes seconds on WebAssembly. */
const comfortableWasmBytes = 600e6;

/** In the order of preference, if nothing speaks against a dtype. */
const webGpuOrder: readonly Dtype[] = ["q4f16", "q4", "fp16", "fp32", "int8", "uint8", "q8", "bnb4"];
/** WebAssembly expands 4-bit weights when it loads them. */
const wasmOrder: readonly Dtype[] = ["q4", "fp32", "int8", "uint8", "q8", "bnb4", "q4f16", "fp16"];

const grades: readonly Fitness[] = ["good", "poor", "impossible"];

/** Judges weights for WebGPU. */
export function judgeOnWebGpu(weights: WeightsSize, model: ModelMetadata, device: DeviceMetadata): Judgement {
  const adapter = device.webgpu;
  const { dtype } = weights;
  const isMadeForCpu = isEightBit(dtype) || dtype === "bnb4";
  if (adapter === null) return { fitness: "impossible", reason: device.withoutWebGpu };
  if ((isFloat16(dtype) || model.needs.includes("shader-f16")) && !adapter.float16) {
    const reason = `The graphics adapter (${adapter.name}) does not support float16 (shader-f16), which ${dtype} weights need.`;
    return { fitness: "impossible", reason: reason + float16Hint(adapter) };
  }
  if (adapter.isSoftware) {
    return {
      fitness: "poor",
      reason: `This browser runs WebGPU in software (${adapter.name}), which is slower than WebAssembly.`,
    };
  }
  if (isFloat16(dtype) && model.float16Overflows) {
    return {
      fitness: "poor",
      reason: `This model computes numbers too large for float16: with ${dtype} weights it may write nonsense.`,
    };
  }
  if (isMadeForCpu) {
    return { fitness: "poor", reason: `${dtype} weights are made for the CPU.` };
  }
  return judgeSize(weights, model, device, adapter);
}

function isEightBit(dtype: string): boolean {
  return dtype === "q8" || dtype === "int8" || dtype === "uint8";
}

/** A hint for NVIDIA cards, which can compute in float16: Chromium on Linux keeps this WebGPU feature behind a flag. A sentence after a space, or "". */
function float16Hint({ name, float16 }: AdapterMetadata): string {
  if (float16 || !/nvidia/i.test(name)) return "";
  return " Chrome and Edge on Linux do not offer float16 on NVIDIA cards.";
}

function judgeSize(
  { dtype, bytes }: WeightsSize,
  { architecture }: ModelMetadata,
  { memoryBytes }: DeviceMetadata,
  adapter: AdapterMetadata,
): Judgement {
  if (architecture !== null) {
    const embeddingBytes = architecture.vocabularySize * architecture.hiddenSize * (isFloat16(dtype) ? 2 : 4);
    const mostBufferBytes = Math.min(adapter.maxBufferBytes, adapter.maxBindingBytes);
    if (embeddingBytes > mostBufferBytes) {
      return {
        fitness: "poor",
        reason: `The model's embedding table may need ${formatBytes(embeddingBytes)}, but the graphics adapter allows at most ${formatBytes(mostBufferBytes)} in one buffer.`,
      };
    }
  }
  if (bytes !== null && memoryBytes !== null) {
    const cache = architecture === null ? 0 : cacheBytesPerToken(architecture, isFloat16(dtype) ? 2 : 4);
    const needed = bytes + firstCacheRows * cache;
    if (needed > largestMemoryShare * memoryBytes) return tooLittleMemory(needed, memoryBytes);
  }
  return { fitness: "good", reason: `${dtype} weights run well on WebGPU.` };
}

/** Judges weights for WebAssembly. */
export function judgeOnWasm(weights: WeightsSize, model: ModelMetadata, device: DeviceMetadata): Judgement {
  const { dtype, bytes } = weights;
  const size = bytes ?? 0;
  if (model.needs.includes("webgpu")) {
    return { fitness: "impossible", reason: "The model is made for WebGPU and does not run on WebAssembly." };
  }
  if (isFloat16(dtype)) {
    return {
      fitness: "impossible",
      reason: `${dtype} weights need float16, which WebAssembly does not support.`,
    };
  }
  if (size > mostWasmBytes) {
    return {
      fitness: "impossible",
      reason: `WebAssembly has 4 GB of memory, which is too little to load ${formatBytes(size)} of weights.`,
    };
  }
  if (device.memoryBytes !== null && size > largestMemoryShare * device.memoryBytes) {
    return tooLittleMemory(size, device.memoryBytes);
  }
  if (isEightBit(dtype)) {
    return {
      fitness: "poor",
      reason: `${dtype} files usually round activations as well as weights, which makes answers worse.`,
    };
  }
  if (size > comfortableWasmBytes) {
    return { fitness: "poor", reason: `${formatBytes(size)} of weights are slow on WebAssembly.` };
  }
  return { fitness: "good", reason: `${dtype} weights run well on WebAssembly.` };
}

function tooLittleMemory(needed: number, memoryBytes: number): Judgement {
  return {
    fitness: "poor",
    reason: `The model needs about ${formatBytes(needed)} of memory, but this device has ${formatBytes(memoryBytes)}.`,
  };
}

/** Whether these are float weights so small that quantized ones would gain nothing. */
function isSmallFloat({ dtype, bytes }: ListedWeights): boolean {
  return dtype === "fp32" && bytes !== null && bytes <= 100e6;
}

type Judge = (weights: ListedWeights, model: ModelMetadata, device: DeviceMetadata) => Judgement;

function rankWeights(
  available: readonly ListedWeights[],
  model: ModelMetadata,
  device: DeviceMetadata,
  judge: Judge,
  order: readonly Dtype[],
) {
  return available
    .map((weights) => ({ weights, ...judge(weights, model, device) }))
    .sort(
      (a, b) =>
        grades.indexOf(a.fitness) - grades.indexOf(b.fitness) ||
        Number(isSmallFloat(b.weights)) - Number(isSmallFloat(a.weights)) ||
        // Among weights that cannot run, float16 comes last, because the user may have another device that runs the others.
        Number(a.fitness === "impossible" && isFloat16(a.weights.dtype)) -
          Number(b.fitness === "impossible" && isFloat16(b.weights.dtype)) ||
        order.indexOf(a.weights.dtype) - order.indexOf(b.weights.dtype),
    );
}

/**
 * The dtype for each device: the best that the device can run; if it can run none, the first in its order of preference.
 * @param available at least one
 */
export function dtypePerDevice(
  available: readonly ListedWeights[],
  model: ModelMetadata,
  device: DeviceMetadata,
): { readonly webgpu: Dtype; readonly wasm: Dtype } {
  const [webgpu] = rankWeights(available, model, device, judgeOnWebGpu, webGpuOrder);
  const [wasm] = rankWeights(available, model, device, judgeOnWasm, wasmOrder);
  if (!webgpu || !wasm) throw new RangeError("The model has no weights that Midtoken can load.");
  return { webgpu: webgpu.weights.dtype, wasm: wasm.weights.dtype };
}

/** All weights, each with the device on which it runs best; the recommended weights come first. */
export function judgeWeights(
  available: readonly ListedWeights[],
  model: ModelMetadata,
  device: DeviceMetadata,
): JudgedWeights[] {
  const onWebGpu = rankWeights(available, model, device, judgeOnWebGpu, webGpuOrder);
  const onWasm = rankWeights(available, model, device, judgeOnWasm, wasmOrder);
  const judgements = [
    onWebGpu.map((judged) => ({ ...judged, device: "webgpu" as const })),
    onWasm.map((judged) => ({ ...judged, device: "wasm" as const })),
  ];
  // If both devices are poor and WebGPU is only emulated on the CPU, WebAssembly comes first.
  if (device.webgpu?.isSoftware) judgements.reverse();
  const all = judgements.flat().sort((a, b) => grades.indexOf(a.fitness) - grades.indexOf(b.fitness));
  const best = new Map<Dtype, (typeof all)[number]>();
  // The sort is stable: within a grade, the better device and then the better dtype stay first.
  for (const judged of all) if (!best.has(judged.weights.dtype)) best.set(judged.weights.dtype, judged);
  return [...best.values()].map(({ weights, fitness, reason, device: bestDevice }, index) => {
    const isRecommended = index === 0 && fitness !== "impossible";
    const whyNotFloat16Text =
      isRecommended && bestDevice === "webgpu" ? whyNotFloat16(weights, available, device) : "";
    return {
      ...weights,
      fitness,
      reason:
        fitness === "impossible" ? reasonsOfBothDevices(weights, model, device) : reason + whyNotFloat16Text,
      device: bestDevice,
      isRecommended,
    };
  });
}

/** Why the available float16 weights were not chosen, if the adapter has no float16. A sentence after a space, or "". */
function whyNotFloat16(
  { dtype }: ListedWeights,
  available: readonly ListedWeights[],
  { webgpu }: DeviceMetadata,
): string {
  if (webgpu === null || webgpu.float16 || webgpu.isSoftware) return "";
  const float16Weights = available.find((each) => isFloat16(each.dtype));
  if (!float16Weights) return "";
  return ` ${float16Weights.dtype} weights, which take less memory than ${dtype}, need float16 (shader-f16), which this graphics adapter does not offer.${float16Hint(webgpu)}`;
}

/** The reasons of both devices, for weights that neither can run. */
function reasonsOfBothDevices(weights: ListedWeights, model: ModelMetadata, device: DeviceMetadata): string {
  const reasons = [judgeOnWebGpu, judgeOnWasm].map((judge) => judge(weights, model, device).reason);
  return reasons.join(" ");
}
