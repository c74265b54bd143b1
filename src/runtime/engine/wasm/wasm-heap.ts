/** Memory in the heap of the runtime, and the errors of its C functions. */

import type { OrtWasmModule } from "../ort/ort-wasm-module.ts";

/**
 * The runtime's log level "fatal". Errors reach the caller as exceptions, so the runtime need not print them to the console.
 */
export const fatalLogLevel = 4;

/** @throws Error with the runtime's own message if `code` is not 0. */
export function checkStatusCode(module: OrtWasmModule, code: number, what: string): void {
  if (code !== 0) throw lastError(module, what);
}

/** The runtime's last error. Its message begins with `what`. */
export function lastError(module: OrtWasmModule, what: string): Error {
  const stack = module.stackSave();
  const at = module.stackAlloc(8);
  module._OrtGetLastError(at, at + 4);
  const code = module.HEAP32[at >>> 2] ?? 0;
  const message = module.UTF8ToString(module.HEAPU32[(at + 4) >>> 2] ?? 0);
  module.stackRestore(stack);
  return new Error(`${what}: ${message || "no message"} (ONNX Runtime error ${code})`);
}

/** Copies a text into the heap, zero-terminated. The caller frees it. */
export function allocateText(module: OrtWasmModule, text: string): number {
  const bytes = module.lengthBytesUTF8(text) + 1;
  const pointer = allocate(module, bytes);
  module.stringToUTF8(text, pointer, bytes);
  return pointer;
}

/** @throws RangeError if the heap (at most 4 GB) has no room. */
export function allocate(module: OrtWasmModule, bytes: number): number {
  const pointer = module._malloc(bytes) >>> 0;
  if (pointer === 0) {
    throw new RangeError(
      `WebAssembly has no room for another ${(bytes / 2 ** 20).toFixed(1)} MiB. Close other tabs, or choose a smaller model or a shorter text.`,
    );
  }
  return pointer;
}
