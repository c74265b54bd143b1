/** SHA-256 (FIPS 180-4) as a synchronous function, for code that cannot use the asynchronous `crypto.subtle`. */

/** The fractions of the cube roots of the first 64 primes, 32 bits each (4.2.2). */
const constants = Uint32Array.from(primes(64), (prime) => fraction(Math.cbrt(prime)));
/** The fractions of the square roots of the first eight primes (5.3.3). */
const start = Uint32Array.from(primes(8), (prime) => fraction(Math.sqrt(prime)));

/** The digest of a text's UTF-8 bytes, or of bytes, as 64 hexadecimal digits. */
export function sha256(content: string | Uint8Array): string {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  const padded = pad(bytes);
  const hash = start.slice();
  const schedule = new Uint32Array(64);
  for (let offset = 0; offset < padded.byteLength; offset += 64) {
    for (let word = 0; word < 16; word++) schedule[word] = padded.getUint32(offset + 4 * word);
    addBlock(hash, schedule);
  }
  return Array.from(hash, (word) => word.toString(16).padStart(8, "0")).join("");
}

/** Pads the bytes to whole blocks of 64: a one bit, zeros, and the length in bits as a 64-bit number (5.1.1). */
function pad(bytes: Uint8Array): DataView {
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(padded.length - 4, bytes.length << 3);
  return view;
}

/** One block's part of the computation (6.2.2). `schedule` holds its sixteen words. */
function addBlock(hash: Uint32Array, schedule: Uint32Array): void {
  const w = (at: number) => schedule[at] as number;
  for (let at = 16; at < 64; at++) {
    const a = w(at - 15);
    const b = w(at - 2);
    const small0 = rotate(a, 7) ^ rotate(a, 18) ^ (a >>> 3);
    const small1 = rotate(b, 17) ^ rotate(b, 19) ^ (b >>> 10);
    schedule[at] = w(at - 16) + small0 + w(at - 7) + small1;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = hash;
  for (let round = 0; round < 64; round++) {
    const big1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const chosen = (e & f) ^ (~e & g);
    const first = (h + big1 + chosen + (constants[round] as number) + w(round)) | 0;
    const big0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + big0 + majority) | 0];
  }
  for (const [at, value] of [a, b, c, d, e, f, g, h].entries()) (hash[at] as number) += value;
}

function rotate(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by));
}

function primes(count: number): number[] {
  const found: number[] = [];
  for (let number = 2; found.length < count; number++) {
    if (found.every((prime) => number % prime !== 0)) found.push(number);
  }
  return found;
}

/** The first 32 bits after the binary point. */
function fraction(root: number): number {
  return Math.floor((root % 1) * 2 ** 32);
}
