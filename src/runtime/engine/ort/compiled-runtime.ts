/**
 * Compiles the plain WebAssembly build of the runtime once. The runtime would compile its 14 MB again for every instance,
 * and each model has its own instance. Compiling does not block this thread, so files and tokenizer are read meanwhile.
 */
import type { OrtWasmModule, PlainRuntime } from "./ort-wasm-module.ts";

/** The factory that onnxruntime-web exports. */
export type CreateInstance = (options: {
  numThreads: number;
  locateFile?: (name: string) => string;
  instantiateWasm?: (
    imports: WebAssembly.Imports,
    receive: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
  ) => void;
}) => Promise<OrtWasmModule>;

/** @throws WebAssembly.CompileError if the bytes are not a WebAssembly module. */
export async function compileRuntime(
  create: CreateInstance,
  binary: BufferSource,
  options: RuntimeOptions = {},
): Promise<PlainRuntime> {
  return runtimeOfModule(create, await WebAssembly.compile(binary), options);
}

export interface RuntimeOptions {
  readonly locateFile?: (name: string) => string;
}

/** The runtime that makes its instances from a compiled module. */
export function runtimeOfModule(
  create: CreateInstance,
  module: WebAssembly.Module,
  options: RuntimeOptions = {},
): PlainRuntime {
  return {
    create: (numThreads) =>
      new Promise((resolve, reject) => {
        const instantiateWasm: NonNullable<Parameters<CreateInstance>[0]["instantiateWasm"]> = (
          imports,
          receive,
        ) => {
          // If the instance cannot be made, the runtime itself would wait for ever.
          WebAssembly.instantiate(module, imports).then((instance) => receive(instance, module), reject);
        };
        create({ ...options, numThreads, instantiateWasm }).then(resolve, reject);
      }),
  };
}
