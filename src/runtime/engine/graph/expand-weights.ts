/** Chooses the form in which WebAssembly gets the weights of a graph: float32, int8 if float32 is too large, or unchanged. */

import type { ExternalData } from "../base/weight-bytes.ts";
import { openWeights, type WeightFile } from "../files/weight-file.ts";
import type { GraphBytes } from "../onnx/decoder-graph.ts";
import { dequantizeModel, ModelTooLargeError } from "../onnx/dequantize.ts";
import { convertToInt8Model } from "../onnx/int8-products.ts";

export interface ExpandedWeights {
  readonly files: { readonly graph: Uint8Array; readonly externalData: ExternalData };
  /** Says what became of quantized weights. The text continues "It runs on WebAssembly"; "" if the graph has none. */
  readonly note: string;
  /** Releases the weight files. Called after the runtime has read the weights. */
  close(): void;
}

/**
 * Most bytes of weights on WebAssembly: the 4 GB heap also needs room for caches, and for packed weights while the runtime
 * starts. Qwen3-0.6B's weights take 2.22 GiB as float32, and the heap then has 3.2 GiB.
 */
const mostBytes = 2.3 * 2 ** 30;

/**
 * Most bytes of float32 weights: a third of the machine's memory, so that browser and page have some left.
 * @param deviceMemory GiB, as in `navigator.deviceMemory`: a power of two, at most 8 in some browsers; undefined in others
 */
export function mostFloatBytes(deviceMemory: number | undefined): number {
  return deviceMemory === undefined ? mostBytes : Math.min(mostBytes, (deviceMemory / 3) * 2 ** 30);
}

/**
 * WebAssembly would unpack 4-bit weights at every step, so they are unpacked once: as float32, about 12 times faster, or as
 * int8 (`int8-products.ts`), in a quarter of the memory.
 */
export async function expandWeights(
  { graph, externalData: given }: GraphBytes<WeightFile>,
  most = mostFloatBytes((globalThis.navigator as { deviceMemory?: number } | undefined)?.deviceMemory),
): Promise<ExpandedWeights> {
  const { data, close } = await openWeights(given);
  try {
    return { ...expand(graph, data, most), close };
  } catch (error) {
    close();
    throw error;
  }
}

function expand(graph: Uint8Array, externalData: ExternalData, most: number): Omit<ExpandedWeights, "close"> {
  try {
    const expanded = dequantizeModel(graph, externalData, { maximumBytes: most });
    const note =
      expanded.rewritten > 0
        ? ` with the quantized weights expanded to ${megabytes(expanded.floatBytes)} of float32`
        : "";
    return { files: { graph: expanded.model, externalData: expanded.externalData }, note };
  } catch (error) {
    if (!(error instanceof ModelTooLargeError)) throw error;
    return asInt8(graph, externalData, most);
  }
}

function asInt8(graph: Uint8Array, externalData: ExternalData, most: number): Omit<ExpandedWeights, "close"> {
  const { model, externalData: files, bytes, rewritten } = convertToInt8Model(graph, externalData);
  if (rewritten > 0 && bytes <= mostBytes) {
    const note = ` with the 4-bit weights as ${megabytes(bytes)} of int8, because as float32 they would need more than the ${megabytes(most)} available`;
    return { files: { graph: model, externalData: files }, note };
  }
  const note = " with the quantized weights as they are (slow: as float32 they would not fit into memory)";
  return { files: { graph, externalData }, note };
}

function megabytes(bytes: number): string {
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(0)} kB` : `${(bytes / 1e6).toFixed(0)} MB`;
}
