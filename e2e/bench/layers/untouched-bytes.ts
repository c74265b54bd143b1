/** Digests of the bytes of a graph that the runtime gets. */

/** SHA-256 in hexadecimal digits. */
export async function digest(bytes: Uint8Array): Promise<string> {
  // Shared memory is not digested.
  const hash = await crypto.subtle.digest("SHA-256", bytes.slice());
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Fewer bytes are no graph. */
const fewest = 1000;

/** Digests of all that `work` copies as bytes into memory of WebAssembly, from elsewhere: of a graph that is how the runtime gets it. */
export async function copiesIntoHeap(work: () => Promise<void>): Promise<string[]> {
  const { set } = Uint8Array.prototype;
  const copies: Uint8Array[] = [];
  Uint8Array.prototype.set = function (this: Uint8Array, source: ArrayLike<number>, offset?: number) {
    const isOutside = source instanceof Uint8Array && source.buffer !== this.buffer;
    if (isOutside && source.length >= fewest && isHeap(this.buffer)) copies.push(source.slice());
    return set.call(this, source, offset);
  };
  try {
    await work();
  } finally {
    Uint8Array.prototype.set = set;
  }
  return Promise.all(copies.map(digest));
}

/** Memory of WebAssembly cannot be handed over, and is the only memory of which that holds: here, by its size, of whole pages. */
function isHeap({ byteLength }: ArrayBufferLike): boolean {
  return byteLength >= 2 ** 22 && byteLength % 2 ** 16 === 0;
}
