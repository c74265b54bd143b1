/**
 * Environment variables of the runtime's WebAssembly build. Its C library has the few that Emscripten gives every program, as
 * texts in the heap with a list of their addresses; the build exports no way to add one. So one that nothing reads gives its
 * place to another.
 */
import type { OrtWasmModule } from "../ort/ort-wasm-module.ts";

/** Two of Emscripten's, which lie one after the other, texts and addresses alike. The second is given up. */
const [before, given] = ["USER=web_user", "LOGNAME=web_user"] as const;

type Heap = Pick<OrtWasmModule, "HEAPU8" | "HEAPU32" | "_malloc">;

/**
 * Sets a variable, before anything reads it; a second call has no place left. The whole heap is searched, so this is for an
 * instance that has just been made.
 * @returns false where the heap does not look as expected: nothing was changed.
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
  // Allocating may have moved the heap: its views are read again.
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
 * The runtime computes attention over several tokens in blocks that fit the processor's second cache. WebAssembly does not
 * know how large that is, the blocks become tiny, and each token costs as many small products as there are tokens before it:
 * SmolLM2-135M after 240 tokens takes 217 ms for 8 more tokens in blocks, and 105 ms all at once (Node, one thread). At once, a
 * pass of several tokens also gives what passes of one give: to the bit up to some 256 tokens of context, from there on within 1e-4.
 * It is the switch of the runtime's own pull request 28962.
 */
export function computeAttentionAtOnce(module: Heap): boolean {
  return setEnvironmentVariable(module, "ORT_GQA_DISABLE_FLASH_ATTENTION", "1");
}
