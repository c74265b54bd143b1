/**
 * The bytes of a WebAssembly file. The runtimes would compile theirs while it comes in (`WebAssembly.instantiateStreaming`),
 * and in Firefox 140 that never settles now and then, when the file is in the browser's cache and another page was just left:
 * 6 of 14 runs of the test in `e2e/page/firefox.spec.ts` that presses Run, Stop and Run. Compiling the whole file takes as long.
 */
import { messageOf } from "../base/message-of.ts";

/** @throws Error when the file does not come, with its address and why. */
export async function fetchWasmBinary(address: string): Promise<ArrayBuffer> {
  try {
    const response = await fetch(address);
    if (!response.ok) throw new Error(`its server answered ${response.status}`);
    return await response.arrayBuffer();
  } catch (cause) {
    const why = `${address} could not be fetched: ${messageOf(cause)}.`;
    throw new Error(`${why} Check that you are online and press Run to try again.`, { cause });
  }
}
