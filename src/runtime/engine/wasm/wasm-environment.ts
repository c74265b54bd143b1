/**
 * Environment variables of the runtime's WebAssembly build. Its C library has the few that Emscripten gives every program,
 * as texts in the heap with a list of their addresses. The build exports no function to add one, so a variable that nothing
 * reads is overwritten.
 */
import type { OrtWasmModule } from "../ort/ort-wasm-module.ts";

/**
 * Two of Emscripten's variables. Their texts, and the texts' addresses, lie one after the other. The second variable is
 * overwritten.
 */
const [before, given] = ["USER=web_user", "LOGNAME=web_user"] as const;

type Heap = Pick<OrtWasmModule, "HEAPU8" | "HEAPU32" | "_malloc">;

/**
 * Sets a variable before anything reads it. Only one call has room. Searches the whole heap, so it should be called on a new
 * instance.
 * @returns false if the heap does not look as expected; nothing was changed then.
 */
export function setEnvironmentVariable(module: Heap, name: string, value: string): boolean {
  const first = findText(module.HEAPU8, `${before}\0${given}\0`);
  if (first < 0) return false;
  const second = first + before.length + 1;
  const { HEAPU32: words } = module;
  let place = words.indexOf(second);
  while (place > 0 && words[place - 1] !== first) place = words.indexOf(second, place + 1);
  if (place <= 0) return false;
  const text = new TextEncoder().encode(`${name}=${value}\0`);
  const pointer = module._malloc(text.length) >>> 0;
  if (pointer === 0) return false;
  // The allocation may have moved the heap, so its views are read again.
  module.HEAPU8.set(text, pointer);
  module.HEAPU32[place] = pointer;
  return true;
}

function findText(heap: Uint8Array, text: string): number {
  const bytes = new TextEncoder().encode(text);
  const first = bytes[0] ?? 0;
  for (let at = heap.indexOf(first); at >= 0; at = heap.indexOf(first, at + 1)) {
    if (bytes.every((byte, i) => heap[at + i] === byte)) return at;
  }
  return -1;
}

/**
 * Switches off the runtime's attention in blocks, by an environment variable. @returns false if that failed. The
 * runtime computes attention over several tokens in blocks that fit the processor's L2 cache. On WebAssembly its size
 * is unknown, so the blocks become tiny, and each token costs as many small products as there are tokens before it:
 * SmolLM2-135M after 240 tokens takes 217 ms for 8 more tokens in blocks, and 105 ms without blocks (Node, one thread).
 * Without blocks, a pass of several tokens also gives the logits of single-token passes: bit for bit up to about 256
 * tokens of context, after that within 1e-4. The variable is the switch of the runtime's own pull request 28962.
 */
export function disableBlockedAttention(module: Heap): boolean {
  return setEnvironmentVariable(module, "ORT_GQA_DISABLE_FLASH_ATTENTION", "1");
}
