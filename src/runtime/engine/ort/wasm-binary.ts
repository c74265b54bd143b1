/**
 * Downloads a WebAssembly file completely before it is compiled. By themselves, the runtimes would compile the file while it
 * arrives (`WebAssembly.instantiateStreaming`). In Firefox 140, the promise of this function may never settle if the file is
 * in the browser's cache and the user has just left another page: this happened in 6 of 14 runs of the test in
 * `e2e/page/firefox.spec.ts` that presses Run, Stop and Run. Compiling after the download is not slower.
 */

import { messageOf } from "../../../core/base/message-of.ts";
import { redactUrlSecrets } from "../../../core/base/without-secrets.ts";

type Bytes = ReadableStream<Uint8Array<ArrayBuffer>>;

/**
 * Fetches a binary, and unpacks it if it is packed with gzip. If a server sends `Content-Encoding: gzip` for a `.gz` file,
 * the browser has already unpacked it, so the first bytes decide.
 * @throws Error with the address and the reason if the file does not arrive or is damaged.
 */
export async function fetchWasmBinary(address: string): Promise<ArrayBuffer> {
  try {
    const response = await fetch(address);
    if (!response.ok) throw new Error(`its server answered ${response.status}`);
    const { isPacked, stream } = await peek(response.body ?? new Blob([]).stream());
    const binary = isPacked ? stream.pipeThrough(new DecompressionStream("gzip")) : stream;
    return await new Response(binary).arrayBuffer();
  } catch (cause) {
    const why = `${redactUrlSecrets(address)} could not be fetched: ${messageOf(cause)}.`;
    throw new Error(`${why} Check that you are online and press Run to try again.`, { cause });
  }
}

/** Whether a stream begins like a gzip file, and the same stream, still from its beginning. */
async function peek(source: Bytes): Promise<{ readonly isPacked: boolean; readonly stream: Bytes }> {
  const reader = source.getReader();
  const read: Uint8Array<ArrayBuffer>[] = [];
  const head = () => read.flatMap((chunk) => [...chunk.subarray(0, 2)]);
  while (head().length < 2) {
    const { done, value } = await reader.read();
    if (done) break;
    read.push(value);
  }
  const [first, second] = head();
  const stream: Bytes = new ReadableStream({
    async pull(controller) {
      const next = read.shift() ?? (await reader.read()).value;
      if (next) controller.enqueue(next);
      else controller.close();
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return { isPacked: first === 0x1f && second === 0x8b, stream };
}
