/**
 * The bytes of a WebAssembly file. The runtimes would compile theirs while it comes in (`WebAssembly.instantiateStreaming`),
 * and in Firefox 140 that never settles now and then, when the file is in the browser's cache and another page was just left:
 * 6 of 14 runs of the test in `e2e/page/firefox.spec.ts` that presses Run, Stop and Run. Compiling the whole file takes as long.
 */

import { messageOf } from "../../../core/base/message-of.ts";
import { withoutSecrets } from "../../../core/base/without-secrets.ts";

type Bytes = ReadableStream<Uint8Array<ArrayBuffer>>;

/**
 * Fetches a binary, packed with gzip or not; a packed one is unpacked while it comes in. A server that says
 * `Content-Encoding: gzip` for a `.gz` file has the browser unpack it: the first bytes tell which of the two came.
 * @throws Error when the file does not come or is damaged, with its address and why.
 */
export async function fetchWasmBinary(address: string): Promise<ArrayBuffer> {
  try {
    const response = await fetch(address);
    if (!response.ok) throw new Error(`its server answered ${response.status}`);
    const { isPacked, stream } = await peek(response.body ?? new Blob([]).stream());
    const binary = isPacked ? stream.pipeThrough(new DecompressionStream("gzip")) : stream;
    return await new Response(binary).arrayBuffer();
  } catch (cause) {
    const why = `${withoutSecrets(address)} could not be fetched: ${messageOf(cause)}.`;
    throw new Error(`${why} Check that you are online and press Run to try again.`, { cause });
  }
}

/** Whether a stream begins as a gzip file does, and the same stream from its beginning. */
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
