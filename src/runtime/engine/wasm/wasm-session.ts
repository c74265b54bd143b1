/** A session of the WebAssembly runtime, with handles in its heap. */

import { recordStage } from "../base/load-timing.ts";
import type { ExternalData, WeightBytes } from "../base/weight-bytes.ts";
import type { RunnerOptions } from "../graph/graph-runner.ts";
import type { TensorInfo } from "../onnx/decoder-graph.ts";
import type { OrtWasmModule } from "../ort/ort-wasm-module.ts";
import { allocate, allocateText, checkStatusCode, fatalLogLevel, lastError } from "./wasm-heap.ts";

/** ONNX element types by number; only those that decoders use. */
const typeNames: Readonly<Record<number, string>> = {
  1: "float32",
  2: "uint8",
  3: "int8",
  6: "int32",
  7: "int64",
  9: "bool",
  10: "float16",
  11: "float64",
};
export const elementType = { float32: 1, int32: 6, int64: 7, float16: 10 } as const;

/** The number of an element type. @throws Error for a type that decoders do not use. */
export function elementTypeNumber(type: string): number {
  const number = Object.keys(typeNames).find((key) => typeNames[Number(key)] === type);
  if (number === undefined) throw new Error(`Tensors of ${type} are not supported.`);
  return Number(number);
}

const location = { cpu: 1 } as const;
const optimizeAll = 99;

/** A graph to run, whose weights can be read synchronously. */
export type WasmRunnerOptions = RunnerOptions<WeightBytes>;

export interface WasmSession {
  readonly handle: number;
  readonly inputs: readonly TensorInfo[];
  readonly outputs: readonly TensorInfo[];
  /** Address of each name in the heap; inputs come first. */
  readonly names: readonly number[];
}

/** @throws Error with the runtime's message if it refuses the graph. */
export async function createWasmSession(
  module: OrtWasmModule,
  graph: Uint8Array,
  externalData: ExternalData,
): Promise<WasmSession> {
  const options = sessionOptions(module);
  const data = allocate(module, graph.byteLength);
  try {
    module.HEAPU8.set(graph, data);
    const faults: unknown[] = [];
    const reads = { faults, start: performance.now(), ms: 0 };
    for (const [path, bytes] of externalData) module.mountExternalData(path, watched(bytes, reads));
    const handle = await module._OrtCreateSession(data, graph.byteLength, options);
    recordStage("reading weights", reads.start, reads.ms);
    if (faults.length > 0) throw faults[0];
    if (handle === 0) throw lastError(module, "The runtime rejected the graph");
    return { handle, ...metadata(module, handle) };
  } finally {
    module._free(data);
    module.unmountExternalData();
    module._OrtReleaseSessionOptions(options);
  }
}

/** Records the runtime's reads of weights. */
interface Reads {
  /** Errors of reads: the runtime itself drops them, and only reports that a read failed. */
  readonly faults: unknown[];
  /** Milliseconds for all weights, including computing them. */
  ms: number;
}

function watched(bytes: WeightBytes, reads: Reads): WeightBytes {
  return {
    byteLength: bytes.byteLength,
    subarray(begin, end) {
      const start = performance.now();
      try {
        return bytes.subarray(begin, end);
      } catch (error) {
        reads.faults.push(error);
        throw error;
      } finally {
        reads.ms += performance.now() - start;
      }
    },
  };
}

function sessionOptions(module: OrtWasmModule): number {
  const name = allocateText(module, "");
  // Memory patterns are off: the mask is longer in every pass, and the runtime would keep a plan for each length.
  const options = module._OrtCreateSessionOptions(
    optimizeAll,
    true,
    false,
    0,
    false,
    0,
    name,
    fatalLogLevel,
    0,
    0,
  );
  module._free(name);
  if (options === 0) throw lastError(module, "The runtime rejected the session options");
  return options;
}

function metadata(module: OrtWasmModule, session: number): Omit<WasmSession, "handle"> {
  const stack = module.stackSave();
  const at = module.stackAlloc(8);
  checkStatusCode(
    module,
    module._OrtGetInputOutputCount(session, at, at + 4),
    "The graph's inputs cannot be read",
  );
  const inputCount = module.HEAPU32[at >>> 2] ?? 0;
  const count = inputCount + (module.HEAPU32[(at + 4) >>> 2] ?? 0);
  const names: number[] = [];
  const infos: TensorInfo[] = [];
  for (let i = 0; i < count; i++) {
    checkStatusCode(
      module,
      module._OrtGetInputOutputMetadata(session, i, at, at + 4),
      "The graph's inputs cannot be read",
    );
    const name = module.HEAPU32[at >>> 2] ?? 0;
    const description = module.HEAPU32[(at + 4) >>> 2] ?? 0;
    names.push(name);
    infos.push({ name: module.UTF8ToString(name), ...typeAndShape(module, description) });
    module._OrtFree(description);
  }
  module.stackRestore(stack);
  return { names, inputs: infos.slice(0, inputCount), outputs: infos.slice(inputCount) };
}

/**
 * Reads the runtime's description of a type: element type, rank, for each dimension the address of its symbol (or 0), and
 * for each dimension its size.
 */
function typeAndShape(module: OrtWasmModule, description: number): Omit<TensorInfo, "name"> {
  const words = module.HEAPU32.subarray(description >>> 2);
  const rank = words[1] ?? 0;
  const shape = Array.from({ length: rank }, (_, i) => {
    const symbol = words[2 + i] ?? 0;
    return symbol ? module.UTF8ToString(symbol) : (words[2 + rank + i] ?? 0);
  });
  const type = words[0] ?? 0;
  return { type: typeNames[type] ?? `type ${type}`, shape };
}

/** A tensor over memory of the heap. The caller still owns that memory and must free it. */
export function createTensor(
  module: OrtWasmModule,
  type: number,
  data: number,
  bytes: number,
  dims: readonly number[],
): number {
  const stack = module.stackSave();
  const at = module.stackAlloc(4 * Math.max(1, dims.length));
  for (let i = 0; i < dims.length; i++) module.HEAP32[(at >>> 2) + i] = dims[i] as number;
  const tensor = module._OrtCreateTensor(type, data, bytes, at, dims.length, location.cpu);
  module.stackRestore(stack);
  if (tensor === 0) throw lastError(module, "A tensor could not be created");
  return tensor;
}

/** Shape and address of a tensor that the runtime owns. */
export function tensorShapeAndAddress(
  module: OrtWasmModule,
  tensor: number,
): { dims: number[]; data: number } {
  const stack = module.stackSave();
  const at = module.stackAlloc(16);
  checkStatusCode(
    module,
    module._OrtGetTensorData(tensor, at, at + 4, at + 8, at + 12),
    "An output cannot be read",
  );
  const words = at >>> 2;
  const data = module.HEAPU32[words + 1] ?? 0;
  const dimsAt = module.HEAPU32[words + 2] ?? 0;
  const rank = module.HEAPU32[words + 3] ?? 0;
  const dims = Array.from(module.HEAPU32.subarray(dimsAt >>> 2, (dimsAt >>> 2) + rank));
  module._OrtFree(dimsAt);
  module.stackRestore(stack);
  return { dims, data };
}

/** Frees the session and the names of its inputs and outputs. */
export function releaseWasmSession(module: OrtWasmModule, session: WasmSession): void {
  for (const name of session.names) module._OrtFree(name);
  module._OrtReleaseSession(session.handle);
}
