/**
 * Tensors in the heap of the plain WebAssembly runtime. The output of a pass becomes the next pass's input without a copy.
 */
import { float16ToFloat32 } from "../base/float16-arrays.ts";
import type { WeightBytes } from "../base/weight-bytes.ts";
import { promptPassTokens } from "../graph/graph-runner.ts";
import type { OrtWasmModule } from "../ort/ort-wasm-module.ts";
import { allocate, checkStatusCode, fatalLogLevel } from "../wasm/wasm-heap.ts";
import { openWasmModule, type WasmInstance } from "../wasm/wasm-module.ts";
import {
  createTensor,
  createWasmSession,
  elementTypeNumber,
  releaseWasmSession,
  tensorShapeAndAddress,
  type WasmSession,
} from "../wasm/wasm-session.ts";
import {
  axisBlocksOf,
  bytesOfTensor,
  type HostTensor,
  type RuntimeSession,
  RuntimeTensor,
  type SessionGraph,
  type TensorRuntime,
} from "./tensor-runtime.ts";

class HeapTensor extends RuntimeTensor {
  readonly location = "cpu";
  readonly handle: number;
  /** Address of its numbers. */
  readonly address: number;
  readonly #module: OrtWasmModule;
  readonly #isOurs: boolean;
  #disposed = false;

  /** @param isOurs whether this code allocated the memory of the numbers; the runtime frees its own memory with the handle */
  constructor(
    module: OrtWasmModule,
    { type, dims }: { readonly type: string; readonly dims: readonly number[] },
    {
      handle,
      address,
      isOurs,
    }: { readonly handle: number; readonly address: number; readonly isOurs: boolean },
  ) {
    super(type, dims);
    this.handle = handle;
    this.address = address;
    this.#module = module;
    this.#isOurs = isOurs;
  }

  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    this.#module._OrtReleaseTensor(this.handle);
    if (this.#isOurs) this.#module._free(this.address);
  }
}

/** A tensor over new memory, into which the caller writes the numbers. @throws RangeError if memory is short */
function heapTensor(
  module: OrtWasmModule,
  tensor: { readonly type: string; readonly dims: readonly number[] },
): HeapTensor {
  const bytes = bytesOfTensor(tensor);
  // A tensor may be empty, but an allocation may not.
  const address = allocate(module, Math.max(8, bytes));
  try {
    const handle = createTensor(module, elementTypeNumber(tensor.type), address, bytes, tensor.dims);
    return new HeapTensor(module, tensor, { handle, address, isOurs: true });
  } catch (error) {
    module._free(address);
    throw error;
  }
}

class HeapSession implements RuntimeSession {
  readonly inputs: WasmSession["inputs"];
  readonly outputs: WasmSession["outputs"];
  readonly #module: OrtWasmModule;
  readonly #session: WasmSession;
  readonly #runOptions: number;

  readonly #onTrap: () => void;

  constructor(module: OrtWasmModule, session: WasmSession, onTrap: () => void) {
    this.#module = module;
    this.#session = session;
    this.#onTrap = onTrap;
    this.inputs = session.inputs;
    this.outputs = session.outputs;
    this.#runOptions = module._OrtCreateRunOptions(fatalLogLevel, 0, false, 0);
  }

  async run(feeds: Readonly<Record<string, RuntimeTensor | HostTensor>>) {
    const copies: HeapTensor[] = [];
    try {
      const handles = this.inputs.map(({ name }) => this.#handleOf(name, feeds[name], copies));
      return this.#execute(handles);
    } finally {
      for (const copy of copies) copy.dispose();
    }
  }

  #handleOf(name: string, tensor: RuntimeTensor | HostTensor | undefined, copies: HeapTensor[]): number {
    if (tensor instanceof HeapTensor) return tensor.handle;
    if (tensor === undefined || tensor instanceof RuntimeTensor) {
      throw new Error(`The input "${name}" is missing, or its tensor belongs to another runtime.`);
    }
    const copy = heapTensor(this.#module, tensor);
    copies.push(copy);
    const { buffer, byteOffset, byteLength } = tensor.data;
    this.#module.HEAPU8.set(new Uint8Array(buffer, byteOffset, byteLength), copy.address);
    return copy.handle;
  }

  #execute(inputs: readonly number[]): Record<string, HeapTensor> {
    const { names } = this.#session;
    const count = inputs.length;
    const outputCount = this.outputs.length;
    const table = allocate(this.#module, 4 * (2 * count + 2 * outputCount));
    const [inputNames, inputsAt, outputNames, outputsAt] = [
      table,
      table + 4 * count,
      table + 8 * count,
      table + 8 * count + 4 * outputCount,
    ] as const;
    const write = (values: readonly number[], address: number) =>
      this.#module.HEAPU32.set(values, address >>> 2);
    write(names.slice(0, count), inputNames);
    write(inputs, inputsAt);
    write(names.slice(count), outputNames);
    write(new Array<number>(outputCount).fill(0), outputsAt);
    try {
      const code = this.#module._OrtRun(
        this.#session.handle,
        inputNames,
        inputsAt,
        count,
        outputNames,
        outputCount,
        outputsAt,
        this.#runOptions,
      );
      if (typeof code !== "number")
        throw new Error("This build of the runtime is asynchronous, but Midtoken needs a synchronous build.");
      checkStatusCode(this.#module, code, "The runtime failed");
      return this.#take(outputsAt);
    } catch (error) {
      // After a trap, the state of the runtime's instance is unknown, so it must not be called again.
      if (error instanceof WebAssembly.RuntimeError) this.#onTrap();
      throw error;
    } finally {
      this.#module._free(table);
    }
  }

  #take(outputsAt: number): Record<string, HeapTensor> {
    const handles = Array.from(
      this.#module.HEAPU32.subarray(outputsAt >>> 2, (outputsAt >>> 2) + this.outputs.length),
    );
    return Object.fromEntries(
      this.outputs.map(({ name, type }, i) => {
        const handle = handles[i] ?? 0;
        const { dims, data } = tensorShapeAndAddress(this.#module, handle);
        return [name, new HeapTensor(this.#module, { type, dims }, { handle, address: data, isOurs: false })];
      }),
    );
  }

  release(): void {
    this.#module._OrtReleaseRunOptions(this.#runOptions);
    releaseWasmSession(this.#module, this.#session);
  }
}

class WasmTensors implements TensorRuntime<WeightBytes> {
  readonly promptPassTokens = promptPassTokens.wasm;
  readonly lost = null;
  readonly threads: number;
  readonly threadNote: string;
  readonly #instance: WasmInstance;
  readonly #module: OrtWasmModule;
  readonly #sessions: HeapSession[] = [];
  #isTrapped = false;

  constructor(instance: WasmInstance) {
    this.#instance = instance;
    this.#module = instance.module;
    this.threads = instance.threads;
    this.threadNote = instance.threadNote;
  }

  async open({ graph, externalData }: SessionGraph<WeightBytes>): Promise<RuntimeSession> {
    const made = await createWasmSession(this.#module, graph, externalData);
    const session = new HeapSession(this.#module, made, () => this.#abandon());
    this.#sessions.push(session);
    return session;
  }

  zeros(type: string, dims: readonly number[]): RuntimeTensor {
    const tensor = heapTensor(this.#module, { type, dims });
    this.#module.HEAPU8.fill(0, tensor.address, tensor.address + bytesOfTensor(tensor));
    return tensor;
  }

  cut(tensor: RuntimeTensor, axis: number, length: number): RuntimeTensor {
    if (!(tensor instanceof HeapTensor)) throw new Error("A tensor of another runtime cannot be sliced.");
    const { blocks, sliceBytes } = axisBlocksOf(tensor, axis);
    const before = (tensor.dims[axis] ?? 0) * sliceBytes;
    const after = length * sliceBytes;
    const copy = heapTensor(this.#module, { type: tensor.type, dims: tensor.dims.with(axis, length) });
    for (let block = 0; block < blocks; block++) {
      const from = tensor.address + block * before;
      this.#module.HEAPU8.copyWithin(copy.address + block * after, from, from + after);
    }
    return copy;
  }

  readRows(logits: RuntimeTensor, rows: number): Float32Array {
    if (!(logits instanceof HeapTensor)) throw new Error("Logits of another runtime cannot be read.");
    const width = logits.dims.at(-1) ?? 0;
    const given = logits.size / width;
    const count = Math.min(rows, given);
    const first = (given - count) * width;
    const { buffer } = this.#module.HEAPU8;
    if (logits.type === "float32")
      return new Float32Array(buffer, logits.address + 4 * first, count * width).slice();
    return float16ToFloat32(new Uint16Array(buffer, logits.address + 2 * first, count * width));
  }

  #abandon(): void {
    this.#isTrapped = true;
    this.#instance.close();
  }

  async dispose(): Promise<void> {
    if (this.#isTrapped) return;
    for (const session of this.#sessions.splice(0)) session.release();
    this.#instance.close();
  }
}

/**
 * @param threads unless given, as many as for a large model, because this model's size is not known yet
 * @throws Error if the runtime's file cannot be fetched or compiled.
 */
export async function createWasmTensorRuntime(threads?: number): Promise<TensorRuntime<WeightBytes>> {
  const wanted = threads === undefined ? { modelBytes: Number.POSITIVE_INFINITY } : { threads };
  return new WasmTensors(await openWasmModule(wanted));
}
