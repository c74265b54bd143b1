/** Sets of byte values. Bit `b & 31` of word `b >> 5` says whether byte b is in the set. Code that is given a set must not change it. */
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

// Loops over the words without callbacks, because these functions run for every step of every derivative.

export function unite(a: ByteSet, b: ByteSet): ByteSet {
  const result = new Uint32Array(8);
  for (let word = 0; word < 8; word++) result[word] = (a[word] as number) | (b[word] as number);
  return result;
}

export function intersect(a: ByteSet, b: ByteSet): ByteSet {
  if (isSubset(a, b)) return a;
  const result = new Uint32Array(8);
  for (let word = 0; word < 8; word++) result[word] = (a[word] as number) & (b[word] as number);
  return result;
}

export function invert(a: ByteSet): ByteSet {
  const result = new Uint32Array(8);
  for (let word = 0; word < 8; word++) result[word] = ~(a[word] as number);
  return result;
}

export function isEmptySet(a: ByteSet): boolean {
  for (let word = 0; word < 8; word++) if (a[word] !== 0) return false;
  return true;
}

/** Whether all bytes of `part` are in `whole`. */
export function isSubset(part: ByteSet, whole: ByteSet): boolean {
  for (let word = 0; word < 8; word++)
    if (((part[word] as number) & ~(whole[word] as number)) !== 0) return false;
  return true;
}

/** Whether the sets have no byte in common. */
export function areDisjoint(a: ByteSet, b: ByteSet): boolean {
  for (let word = 0; word < 8; word++) if (((a[word] as number) & (b[word] as number)) !== 0) return false;
  return true;
}

export function sameSet(a: ByteSet, b: ByteSet): boolean {
  for (let word = 0; word < 8; word++) if (a[word] !== b[word]) return false;
  return true;
}

/** The least byte of a set that is not empty. */
export function firstByte(set: ByteSet): number {
  for (let word = 0; word < 8; word++) {
    const bits = set[word] as number;
    if (bits !== 0) return word * 32 + (31 - Math.clz32(bits & -bits));
  }
  throw new Error("An empty set has no first byte.");
}

/** The byte of a set with exactly one byte; -1 for all other sets. */
export function onlyByteOf(set: ByteSet): number {
  let only = -1;
  for (let word = 0; word < 8; word++) {
    const bits = set[word] as number;
    if (bits === 0) continue;
    if (only >= 0 || (bits & (bits - 1)) !== 0) return -1;
    only = word * 32 + 31 - Math.clz32(bits);
  }
  return only;
}
