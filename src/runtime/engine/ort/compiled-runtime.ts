/**
 * The plain WebAssembly build of the runtime, compiled once: the runtime itself would compile its 14 MB again for every instance,
 * and each model has an instance. Compiling does not block this thread, so files and tokenizer are read meanwhile.
 */
import type { OrtWasmModule } from "./ort-wasm-module.ts";
import type { PlainRuntime } from "./runtime-parts.ts";

/** The factory that onnxruntime-web exports. */
export type CreateInstance = (options: {
  numThreads: number;
  locateFile?: (name: string) => string;
  instantiateWasm?: (
    imports: WebAssembly.Imports,
    receive: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
  ) => void;
}) => Promise<OrtWasmModule>;

/** @throws WebAssembly.CompileError when the bytes are not those of a module. */
export async function compiledRuntime(
  create: CreateInstance,
  binary: BufferSource,
  options: RuntimeOptions = {},
): Promise<PlainRuntime> {
  return runtimeOfModule(create, await WebAssembly.compile(binary), options);
}

export interface RuntimeOptions {
  readonly locateFile?: (name: string) => string;
}

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
          // The runtime would wait for ever for an instance that cannot be made.
          WebAssembly.instantiate(module, imports).then((instance) => receive(instance, module), reject);
        };
        create({ ...options, numThreads, instantiateWasm }).then(resolve, reject);
      }),
  };
}
