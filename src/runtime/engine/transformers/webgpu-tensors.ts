/** Tensors on the GPU. Outputs stay there; only rows of logits are read back. */
import type * as Ort from "onnxruntime-web";
import type { FloatType } from "../base/float-type.ts";
import { paddedBytes } from "../base/padded.ts";
import type { WeightFile } from "../files/weight-file.ts";
import { promptPassTokens } from "../graph/graph-runner.ts";
import { loadWebGpuRuntime } from "../ort/runtime.ts";
import type { WebGpuRuntime } from "../ort/runtime-parts.ts";
import { GpuTensorReader } from "../webgpu/logits-reader.ts";
import {
  axisBlocksOf,
  bytesOfElement,
  bytesOfTensor,
  type HostTensor,
  type RuntimeSession,
  RuntimeTensor,
  type SessionGraph,
  type TensorRuntime,
} from "./tensor-runtime.ts";

class GpuTensor extends RuntimeTensor {
  readonly location = "gpu-buffer";
  readonly tensor: Ort.Tensor;
  #disposed = false;

  constructor(tensor: Ort.Tensor) {
    super(tensor.type, tensor.dims);
    this.tensor = tensor;
  }

  /** An empty tensor has no GPU buffer, because it is in JavaScript's memory. */
  get buffer(): GPUBuffer | null {
    return this.tensor.location === "gpu-buffer" ? (this.tensor.gpuBuffer as GPUBuffer) : null;
  }

  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    this.tensor.dispose();
  }
}

class GpuSession implements RuntimeSession {
  readonly inputs: RuntimeSession["inputs"];
  readonly outputs: RuntimeSession["outputs"];
  readonly #runtime: WebGpuRuntime;
  readonly #session: Ort.InferenceSession;
  readonly #faultOf: () => Error | null;

  constructor(runtime: WebGpuRuntime, session: Ort.InferenceSession, faultOf: () => Error | null) {
    this.#runtime = runtime;
    this.#session = session;
    this.#faultOf = faultOf;
    this.inputs = tensorInfos(session.inputMetadata);
    this.outputs = tensorInfos(session.outputMetadata);
  }

  async run(feeds: Readonly<Record<string, RuntimeTensor | HostTensor>>) {
    const { ort, mutex } = this.#runtime;
    const tensors = Object.fromEntries(
      Object.entries(feeds).map(([name, tensor]) => [name, ortTensor(ort, tensor)]),
    );
    const results = await mutex.run(() => this.#session.run(tensors));
    const outputs = Object.fromEntries(
      Object.entries(results).map(([name, tensor]) => [name, new GpuTensor(tensor)]),
    );
    const fault = this.#faultOf();
    if (fault) throw fault;
    return outputs;
  }

  release(): Promise<void> {
    return this.#runtime.mutex.run(() => this.#session.release());
  }
}

function ortTensor(ort: typeof Ort, tensor: RuntimeTensor | HostTensor): Ort.Tensor {
  if (tensor instanceof GpuTensor) return tensor.tensor;
  if (tensor instanceof RuntimeTensor) throw new Error("A tensor from another runtime cannot be an input.");
  return new ort.Tensor(tensor.type as "int64", tensor.data as BigInt64Array, tensor.dims);
}

function tensorInfos(metadata: Ort.InferenceSession["inputMetadata"]): RuntimeSession["inputs"] {
  return metadata.map((value) =>
    value.isTensor
      ? { name: value.name, type: value.type, shape: value.shape }
      : { name: value.name, type: "not a tensor", shape: [] },
  );
}

class WebGpuTensors implements TensorRuntime<WeightFile> {
  readonly promptPassTokens = promptPassTokens.webgpu;
  readonly lost: Promise<Error>;
  readonly threads = 1;
  readonly threadNote = "";
  readonly #runtime: WebGpuRuntime;
  readonly #device: GPUDevice;
  readonly #sessions: GpuSession[] = [];
  #reader: { readonly width: number; readonly reader: GpuTensorReader } | null = null;
  #fault: Error | null = null;

  constructor(runtime: WebGpuRuntime, device: GPUDevice) {
    this.#runtime = runtime;
    this.#device = device;
    this.lost = device.lost.then(
      ({ message, reason }) => new Error(`The graphics device was lost (${message || reason}).`),
    );
    device.addEventListener("uncapturederror", ({ error }) => {
      this.#fault ??= new Error(`WebGPU reported an error: ${error.message}`);
    });
  }

  async open({ graph, externalData, rotaryNodes = [] }: SessionGraph<WeightFile>): Promise<RuntimeSession> {
    const { ort, mutex } = this.#runtime;
    // The runtime refuses an empty list of names.
    const onCpu = rotaryNodes.length > 0 ? { forceCpuNodeNames: rotaryNodes } : {};
    const session = await mutex.run(() =>
      ort.InferenceSession.create(graph, {
        executionProviders: [{ name: "webgpu", device: this.#device, ...onCpu }],
        externalData: [...externalData].map(([path, data]) => ({ path, data })),
        preferredOutputLocation: "gpu-buffer",
        logSeverityLevel: 4,
      }),
    );
    const opened = new GpuSession(this.#runtime, session, () => this.#fault);
    this.#sessions.push(opened);
    return opened;
  }

  zeros(type: string, dims: readonly number[]): RuntimeTensor {
    const { ort } = this.#runtime;
    const bytes = new Uint8Array(bytesOfTensor({ type, dims }));
    const kinds = {
      float32: Float32Array,
      float16: Uint16Array,
      float64: Float64Array,
      int64: BigInt64Array,
      int32: Int32Array,
    } as const;
    const Kind = kinds[type as keyof typeof kinds] ?? Uint8Array;
    return new GpuTensor(new ort.Tensor(type as "float32", new Kind(bytes.buffer) as Float32Array, dims));
  }

  cut(tensor: RuntimeTensor, axis: number, length: number): RuntimeTensor | null {
    if (!(tensor instanceof GpuTensor)) throw new Error("A tensor from another runtime cannot be sliced.");
    const { blocks, sliceBytes } = axisBlocksOf(tensor, axis);
    const before = (tensor.dims[axis] ?? 0) * sliceBytes;
    const after = length * sliceBytes;
    const dims = tensor.dims.with(axis, length);
    const source = tensor.buffer;
    if (length === 0 || !source) return this.zeros(tensor.type, dims);
    // A GPU copies four bytes at a time.
    if (before % 4 !== 0 || after % 4 !== 0) return null;
    const target = this.#device.createBuffer({
      label: "cache",
      size: paddedBytes(blocks * after),
      usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST,
    });
    const encoder = this.#device.createCommandEncoder();
    for (let block = 0; block < blocks; block++) {
      encoder.copyBufferToBuffer(source, block * before, target, block * after, after);
    }
    this.#device.queue.submit([encoder.finish()]);
    const { ort } = this.#runtime;
    const dataType = tensor.type as FloatType;
    return new GpuTensor(
      ort.Tensor.fromGpuBuffer(target, { dataType, dims, dispose: () => target.destroy() }),
    );
  }

  readRows(logits: RuntimeTensor, rows: number): Promise<Float32Array> {
    const source = logits instanceof GpuTensor ? logits.buffer : null;
    if (!source) throw new Error("The logits are not on the GPU.");
    const width = logits.dims.at(-1) ?? 0;
    const given = logits.size / width;
    const count = Math.min(rows, given);
    return this.#readerOf(width, logits.type as FloatType).read(source, given - count, count);
  }

  #readerOf(width: number, type: FloatType): GpuTensorReader {
    bytesOfElement(type);
    if (this.#reader?.width !== width) {
      this.#reader?.reader.free();
      this.#reader = { width, reader: new GpuTensorReader(this.#device, width, type) };
    }
    return this.#reader.reader;
  }

  async dispose(): Promise<void> {
    this.#reader?.reader.free();
    try {
      for (const session of this.#sessions.splice(0)) await session.release();
    } finally {
      this.#device.destroy();
    }
  }
}

/** The returned runtime owns the device: `dispose` destroys it. @throws Error if a file of the runtime cannot be fetched */
export async function createWebGpuTensorRuntime(device: GPUDevice): Promise<TensorRuntime<WeightFile>> {
  return new WebGpuTensors(await loadWebGpuRuntime(), device);
}
