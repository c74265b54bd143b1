/** Sets of byte values. Bit `b & 31` of word `b >> 5` stands for byte b. Never changed once made. */
export type ByteSet = Uint32Array;

/** The set of all bytes in the given inclusive ranges. */
export function byteSet(...ranges: readonly (readonly [number, number])[]): ByteSet {
  const set = new Uint32Array(8);
  for (const [first, last] of ranges) {
    for (let byte = first; byte <= last; byte++) (set[byte >> 5] as number) |= 1 << (byte & 31);
  }
  return set;
}

export const allBytes: ByteSet = byteSet([0, 255]);

export function hasByte(set: ByteSet, byte: number): boolean {
  return (((set[byte >> 5] as number) >>> (byte & 31)) & 1) === 1;
}

export function unite(a: ByteSet, b: ByteSet): ByteSet {
  return a.map((word, index) => word | (b[index] as number));
}

export function intersect(a: ByteSet, b: ByteSet): ByteSet {
  return a.map((word, index) => word & (b[index] as number));
}

export function invert(a: ByteSet): ByteSet {
  return a.map((word) => ~word);
}

export function isEmptySet(a: ByteSet): boolean {
  return a.every((word) => word === 0);
}

export function setKey(a: ByteSet): string {
  return Array.from(a, (word) => word.toString(36)).join(".");
}
