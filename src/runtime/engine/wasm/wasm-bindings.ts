/** Arrays of addresses in the heap, which are the arguments of the runtime's run function. */
import type { DecoderGraph } from "../onnx/decoder-graph.ts";
import type { OrtWasmModule } from "../ort/ort-wasm-module.ts";
import { allocate, fatalLogLevel } from "./wasm-heap.ts";
import type { WasmSession } from "./wasm-session.ts";

/** The arguments of the runtime's run function: arrays of addresses in the heap. */
export interface WasmBindings {
  readonly inputNames: number;
  readonly inputs: number;
  readonly inputCount: number;
  readonly outputNames: number;
  readonly outputs: number;
  /**
   * Number of key and value caches, and of states of layers without attention. In `outputs` they come first, then the logits (or the stream from which logits are
   * computed), then the outputs of layers. A run without logits passes a smaller number of outputs.
   */
  readonly cacheCount: number;
  readonly runOptions: number;
}

interface BoundOutputs {
  /** Name of the logits, or of the value from which they are computed. */
  readonly last: string;
  /** How many outputs may follow. Their names are written before each run. */
  readonly more: number;
}

/** Allocates the arguments for runs of a session, and writes the names into them. The caller frees them. */
export function bindSession(
  module: OrtWasmModule,
  session: WasmSession,
  graph: DecoderGraph,
  { last, more }: BoundOutputs,
): WasmBindings {
  const addresses = (values: readonly number[]) => {
    const pointer = allocate(module, 4 * values.length);
    module.HEAPU32.set(values, pointer >>> 2);
    return pointer;
  };
  const outputName = (name: string) =>
    session.names[session.inputs.length + session.outputs.findIndex((output) => output.name === name)] ?? 0;
  const caches = [...graph.caches, ...graph.states];
  const outputs = [...caches.map(({ output }) => output), last].map(outputName);
  for (let i = 0; i < more; i++) outputs.push(0);
  return {
    inputNames: addresses(session.names.slice(0, session.inputs.length)),
    inputs: addresses(session.inputs.map(() => 0)),
    inputCount: session.inputs.length,
    outputNames: addresses(outputs),
    outputs: addresses(outputs.map(() => 0)),
    cacheCount: caches.length,
    runOptions: module._OrtCreateRunOptions(fatalLogLevel, 0, false, 0),
  };
}
