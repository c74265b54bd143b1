/** The first run on WebGPU: tells graph kinds apart before anyone waits for an answer. */
import type * as Ort from "onnxruntime-web";
import { bytesPerRow, type DecoderGraph, probe, refusedRun, refuseGrowingCache } from "./decoder-graph.ts";
import { padded } from "./gpu-cache.ts";

/**
 * Runs the graph on one token over a past of zeros (see `probe`).
 * @throws UnsupportedGraphError for a growing cache or when the run fails: the session is then of no use.
 */
export async function probeOnWebGpu(
  ort: typeof Ort,
  session: Ort.InferenceSession,
  device: GPUDevice,
  graph: DecoderGraph,
  file: string,
): Promise<void> {
  const buffers: GPUBuffer[] = [];
  const feeds: Record<string, Ort.Tensor> = { input_ids: int64(ort, [BigInt(probe.token)], [1, 1]) };
  if (graph.attentionMask) {
    feeds.attention_mask = int64(ort, new Array<bigint>(probe.mask).fill(1n), [1, probe.mask]);
  }
  if (graph.positionIds) feeds.position_ids = int64(ort, [BigInt(probe.mask - 1)], [1, 1]);
  if (graph.rowsToKeepShape) feeds.num_logits_to_keep = int64(ort, [1n], graph.rowsToKeepShape);
  for (const entry of graph.caches) {
    const buffer = device.createBuffer({
      size: padded(probe.rows * bytesPerRow(entry)),
      usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST,
    });
    buffers.push(buffer);
    const dims = [1, entry.heads, probe.rows, entry.headSize];
    feeds[entry.input] = ort.Tensor.fromGpuBuffer(buffer, { dataType: entry.type, dims });
  }
  try {
    const results = await session.run(feeds);
    const rows = results[graph.caches[0]?.output ?? ""]?.dims[2] ?? 0;
    for (const tensor of Object.values(results)) tensor.dispose();
    refuseGrowingCache(rows, file);
  } catch (error) {
    throw refusedRun(error, file, "WebGPU");
  } finally {
    for (const buffer of buffers) buffer.destroy();
  }
}

function int64(ort: typeof Ort, values: readonly bigint[], dims: readonly number[]): Ort.Tensor {
  return new ort.Tensor("int64", BigInt64Array.from(values), dims);
}
