/**
 * The inputs of a forward pass except the KV cache, as tensors of the types that the graph declares, and the buffer that takes
 * the logits.
 */
import type * as Ort from "onnxruntime-web";
import { bytesOfType } from "../base/float-type.ts";
import { paddedBytes } from "../base/padded.ts";
import type { DecoderGraph } from "../onnx/decoder-graph.ts";
import { createIntegerTensor } from "./webgpu-probe.ts";

/** The size of a pass, without its tokens. */
export interface PassShape {
  /** Number of tokens in the cache before the pass. */
  readonly past: number;
  readonly count: number;
  /** How many of the last tokens need logits; 0 for none. */
  readonly rows: number;
  /** Number of tokens for which the cache has room. */
  readonly cacheRows: number;
}

export class WebGpuFeeds {
  /** Tensors by input name. The code that binds the KV cache adds the tensors of the cache. */
  readonly inputs: Record<string, Ort.Tensor> = {};
  readonly #ort: typeof Ort;
  readonly #graph: DecoderGraph;
  #ones = new BigInt64Array(0);

  constructor(ort: typeof Ort, graph: DecoderGraph) {
    this.#ort = ort;
    this.#graph = graph;
  }

  /**
   * Sets the inputs of the next pass. `ids`: the token ids of the pass, or, for a pass of one token that the GPU drew, the GPU
   * buffer that holds its id in the integer type of the graph.
   */
  set(ids: readonly number[] | GPUBuffer, { past, count, rows, cacheRows }: PassShape): void {
    const { attentionMask, positionIds, rowsToKeepShape } = this.#graph;
    if (Array.isArray(ids)) this.#integers("input_ids", ids, [1, count]);
    else this.inputs.input_ids = this.#onDevice(ids as GPUBuffer);
    if (attentionMask) this.inputs.attention_mask = this.#maskOf(past + count, cacheRows);
    if (positionIds) {
      const positions = Array.from({ length: count }, (_, i) => past + i);
      this.#integers("position_ids", positions, [1, count]);
    }
    if (rowsToKeepShape) this.#integers("num_logits_to_keep", [Math.max(1, rows)], rowsToKeepShape);
  }

  #integers(name: string, values: readonly number[], dims: readonly number[]): void {
    this.inputs[name] = createIntegerTensor(this.#ort, this.#graph, name, values, dims);
  }

  #onDevice(buffer: GPUBuffer): Ort.Tensor {
    const dataType = this.#graph.integerTypes.input_ids === "int32" ? "int32" : "int64";
    return this.#ort.Tensor.fromGpuBuffer(buffer, { dataType, dims: [1, 1] });
  }

  /** A mask of ones: a view of an array that is as long as the cache. */
  #maskOf(length: number, cacheRows: number): Ort.Tensor {
    if (this.#graph.integerTypes.attention_mask === "int32") {
      return new this.#ort.Tensor("int32", new Int32Array(length).fill(1), [1, length]);
    }
    if (this.#ones.length < cacheRows) this.#ones = new BigInt64Array(cacheRows).fill(1n);
    return new this.#ort.Tensor("int64", this.#ones.subarray(0, length), [1, length]);
  }
}

/** A new GPU buffer for the logits of one token, and the tensor that the runtime writes to. */
export function createLogitsBuffer(
  ort: typeof Ort,
  device: GPUDevice,
  graph: DecoderGraph,
): { readonly buffer: GPUBuffer; readonly tensor: Ort.Tensor } {
  const buffer = device.createBuffer({
    label: "logits",
    size: paddedBytes(graph.vocabularySize * bytesOfType(graph.logitsType)),
    usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST,
  });
  return { buffer, tensor: createLogitsTensor(ort, buffer, graph) };
}

/** A tensor for the logits of one token in this buffer. The caller owns the buffer. */
export function createLogitsTensor(ort: typeof Ort, buffer: GPUBuffer, graph: DecoderGraph): Ort.Tensor {
  return ort.Tensor.fromGpuBuffer(buffer, {
    dataType: graph.logitsType,
    dims: [1, 1, graph.vocabularySize],
  });
}
