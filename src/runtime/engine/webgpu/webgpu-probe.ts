/** The first run on WebGPU: shows whether the graph runs there, and whether its cache behaves as its file says. */
import type * as Ort from "onnxruntime-web";
import type { DecoderCache } from "../decoder-cache/decoder-cache.ts";
import {
  checkFixedCacheRows,
  type DecoderGraph,
  firstRunSizes,
  refusedFirstRunError,
  UnsupportedOnDeviceError,
} from "../onnx/decoder-graph.ts";

interface ProbedSession {
  readonly session: Ort.InferenceSession;
  readonly graph: DecoderGraph;
  readonly cache: DecoderCache<Ort.Tensor>;
  /** For messages. */
  readonly file: string;
  /** Inputs that `graph` does not list. */
  readonly feeds?: Readonly<Record<string, Ort.Tensor>> | undefined;
}

/**
 * Runs the graph on one token after a past of zeros (see `firstRunSizes`), and frees the cache.
 * @param cache has no memory yet
 * @throws UnsupportedGraphError if the run fails, or if a cache that should have a fixed size does not; the session is
 * useless then.
 */
export async function probeOnWebGpu(
  ort: typeof Ort,
  { session, graph, cache, file, feeds: others = {} }: ProbedSession,
): Promise<void> {
  const fixed = graph.cacheKind === "shared-cache";
  const total = fixed ? firstRunSizes.mask : 1;
  const integers = (name: string, values: readonly number[], dims: readonly number[]) =>
    createIntegerTensor(ort, graph, name, values, dims);
  const feeds: Record<string, Ort.Tensor> = {
    ...others,
    input_ids: integers("input_ids", [firstRunSizes.token], [1, 1]),
  };
  if (graph.attentionMask) {
    feeds.attention_mask = integers("attention_mask", new Array<number>(total).fill(1), [1, total]);
  }
  if (graph.positionIds) feeds.position_ids = integers("position_ids", [total - 1], [1, 1]);
  if (graph.rowsToKeepShape) {
    feeds.num_logits_to_keep = integers("num_logits_to_keep", [1], graph.rowsToKeepShape);
  }
  try {
    await cache.grow(firstRunSizes.rows, 0);
    const { past } = cache.bind(0, 1);
    for (const [i, { input }] of [...graph.caches, ...graph.states].entries()) {
      feeds[input] = past[i] as Ort.Tensor;
    }
    const results = await session.run(feeds);
    const rows = results[graph.caches[0]?.output ?? ""]?.dims[2] ?? 0;
    for (const tensor of Object.values(results)) tensor.dispose();
    if (fixed) checkFixedCacheRows(rows, file);
  } catch (error) {
    throw refusedFirstRunError(error, file, "WebGPU");
  } finally {
    cache.free();
  }
}

/** An input of integers, in the integer type of the graph. */
export function createIntegerTensor(
  ort: typeof Ort,
  graph: DecoderGraph,
  name: string,
  values: readonly number[],
  dims: readonly number[],
): Ort.Tensor {
  return graph.integerTypes[name] === "int32"
    ? new ort.Tensor("int32", Int32Array.from(values), dims)
    : new ort.Tensor("int64", BigInt64Array.from(values, BigInt), dims);
}

/** @throws UnsupportedOnDeviceError for a float16 graph on a device without shader-f16. */
export function requireFloat16(graph: DecoderGraph, device: GPUDevice, file: string): void {
  const kept = [...graph.caches, ...graph.states];
  const usesFloat16 = graph.logitsType === "float16" || kept.some(({ type }) => type === "float16");
  if (usesFloat16 && !device.features.has("shader-f16")) {
    throw new UnsupportedOnDeviceError(
      `${file} computes in float16, but this graphics adapter has no shader-f16. Choose a file with float32 activations (q4, fp32) or WebAssembly.`,
    );
  }
}
