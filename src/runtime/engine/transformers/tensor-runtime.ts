/** Sessions and tensors of this engine's runtime; transformers.js computes with them instead of its own runtime. */

import type { GraphBytes, TensorInfo } from "../onnx/decoder-graph.ts";

/**
 * A tensor in the runtime's memory: WebAssembly's heap or the GPU. transformers.js passes it on and reads its shape; it
 * recognises tensors of the runtime by this class.
 */
export abstract class RuntimeTensor {
  readonly type: string;
  readonly dims: readonly number[];
  abstract readonly location: "cpu" | "gpu-buffer";

  constructor(type: string, dims: readonly number[]) {
    this.type = type;
    this.dims = dims;
  }

  get size(): number {
    return this.dims.reduce((product, size) => product * size, 1);
  }

  /** transformers.js reads numbers only for images and sounds, never for text. */
  get data(): never {
    throw new Error(
      `The numbers of a ${this.type} tensor of shape ${this.dims.join(" × ")} stay in the runtime and cannot be read here.`,
    );
  }

  /** Frees its memory. A second call does nothing. */
  abstract dispose(): void;
}

/** A tensor in JavaScript's memory, which transformers.js makes for ids and masks: `onnxruntime-common`'s Tensor. */
export interface HostTensor {
  readonly type: string;
  readonly dims: readonly number[];
  readonly data: ArrayBufferView;
}

/** One loaded graph. */
export interface RuntimeSession {
  readonly inputs: readonly TensorInfo[];
  readonly outputs: readonly TensorInfo[];
  /** Returns all outputs by name. The caller owns them, and the feeds. @throws Error of the runtime, after which the session cannot be used */
  run(
    feeds: Readonly<Record<string, RuntimeTensor | HostTensor>>,
  ): Promise<Readonly<Record<string, RuntimeTensor>>>;
}

/** A graph for a session. */
export interface SessionGraph<File> extends GraphBytes<File> {
  /** Nodes that a GPU would compute wrong (see `onnx/rotary-nodes.ts`). */
  readonly rotaryNodes?: readonly string[];
}

/** The memory of one model on one device, with the model's sessions. Calls do not overlap. */
export interface TensorRuntime<File = unknown> {
  /** The entry of `promptPassTokens` for this device. */
  readonly promptPassTokens: number;
  /** Number of threads that compute, and why there is only one although there could be more; 1 and "" on a GPU. */
  readonly threads: number;
  readonly threadNote: string;
  /** Resolves with the device's message when the device is lost; null on WebAssembly. */
  readonly lost: Promise<Error> | null;
  /** @throws Error with the runtime's message when it refuses the graph. */
  open(graph: SessionGraph<File>): Promise<RuntimeSession>;
  /** A tensor of zeros. @throws RangeError if memory is short */
  zeros(type: string, dims: readonly number[]): RuntimeTensor;
  /**
   * A copy of the first `length` entries along `axis`; null if the device cannot copy pieces of that size.
   * @throws RangeError if memory is short
   */
  cut(tensor: RuntimeTensor, axis: number, length: number): RuntimeTensor | null;
  /**
   * The logits of the last `rows` tokens as float32, from logits of shape `(1, given, vocabulary)`; all if there are fewer.
   */
  readRows(logits: RuntimeTensor, rows: number): Promise<Float32Array> | Float32Array;
  /** Frees sessions, tensors and device. */
  dispose(): Promise<void>;
}

const bytesPerElement: Readonly<Record<string, number>> = {
  float32: 4,
  float16: 2,
  float64: 8,
  int64: 8,
  int32: 4,
  int8: 1,
  uint8: 1,
  bool: 1,
};

/** @throws Error for types whose elements have no fixed number of bytes. */
export function bytesOfElement(type: string): number {
  const bytes = bytesPerElement[type];
  if (bytes === undefined) throw new Error(`A tensor of type ${type} cannot be cached between passes.`);
  return bytes;
}

/** Bytes of a tensor's numbers. */
export function bytesOfTensor({
  type,
  dims,
}: {
  readonly type: string;
  readonly dims: readonly number[];
}): number {
  return dims.reduce((product, size) => product * size, bytesOfElement(type));
}

/** One axis of a row-major tensor: `blocks` consecutive blocks, each with one slice for every entry of the axis. */
export interface AxisBlocks {
  readonly blocks: number;
  readonly sliceBytes: number;
}

export function axisBlocksOf(
  { type, dims }: { readonly type: string; readonly dims: readonly number[] },
  axis: number,
): AxisBlocks {
  const product = (sizes: readonly number[]) => sizes.reduce((total, size) => total * size, 1);
  return {
    blocks: product(dims.slice(0, axis)),
    sliceBytes: product(dims.slice(axis + 1)) * bytesOfElement(type),
  };
}
