/**
 * ONNX Runtime's plain WebAssembly build, used through the C functions that it exports rather than through
 * `InferenceSession`: that copies every cache tensor into the heap and out again at every run, while a tensor
 * made here once stays in the heap and is bound as past and present alike.
 */
import { loadPlainRuntime } from "./load-runtime.ts";
import type { OrtWasmModule } from "./ort-wasm-module.ts";
import { computeAttentionAtOnce } from "./wasm-environment.ts";

/**
 * The runtime's log level "fatal". Errors reach the caller as exceptions, so the runtime need not write them to the user's
 * console.
 */
export const silent = 4;
let shared: Promise<OrtWasmModule> | null = null;

/** Threads that this page may use: 1 unless it is cross-origin isolated. */
export function wasmThreads(): number {
  if (globalThis.crossOriginIsolated !== true) return 1;
  return Math.min(4, Math.ceil((navigator.hardwareConcurrency || 1) / 2));
}

/**
 * An instance of the runtime. Without threads every call makes a new one, so that a model's whole heap goes
 * when the model goes, and a crash stays its own; with threads one instance and its workers are shared.
 * @throws Error when the runtime's file cannot be fetched or compiled.
 */
export async function openWasmModule(): Promise<OrtWasmModule> {
  const threads = wasmThreads();
  if (threads === 1) return instantiate(1);
  shared ??= instantiate(threads);
  try {
    return await shared;
  } catch (error) {
    shared = null;
    throw error;
  }
}

/** Forgets the shared instance after a crash: the next model gets a new one. */
export function abandonSharedModule(): void {
  shared = null;
}

async function instantiate(threads: number): Promise<OrtWasmModule> {
  const module = await (await loadPlainRuntime()).create(threads);
  computeAttentionAtOnce(module);
  check(module, module._OrtInit(threads, silent), "The runtime did not start");
  return module;
}

/** @throws Error with the runtime's own message when `code` is not 0. */
export function check(module: OrtWasmModule, code: number, what: string): void {
  if (code !== 0) throw lastError(module, what);
}

export function lastError(module: OrtWasmModule, what: string): Error {
  const stack = module.stackSave();
  const at = module.stackAlloc(8);
  module._OrtGetLastError(at, at + 4);
  const code = module.HEAP32[at >>> 2] ?? 0;
  const message = module.UTF8ToString(module.HEAPU32[(at + 4) >>> 2] ?? 0);
  module.stackRestore(stack);
  return new Error(`${what}: ${message || "no message"} (ONNX Runtime error ${code})`);
}

/** A zero-terminated copy in the heap; the caller frees it. */
export function allocateText(module: OrtWasmModule, text: string): number {
  const bytes = module.lengthBytesUTF8(text) + 1;
  const pointer = allocate(module, bytes);
  module.stringToUTF8(text, pointer, bytes);
  return pointer;
}

/** @throws RangeError when the heap (4 GB at most) has no room. */
export function allocate(module: OrtWasmModule, bytes: number): number {
  const pointer = module._malloc(bytes) >>> 0;
  if (pointer === 0) {
    throw new RangeError(
      `WebAssembly has no room for ${(bytes / 2 ** 20).toFixed(1)} MiB more. Close other tabs, choose a smaller model or a shorter text.`,
    );
  }
  return pointer;
}
