/** Hashes for tables and for keys: fast, and good enough that different things seldom share one. */

/** Mixes a number into a hash (the finalizer of MurmurHash3, public domain). Hashes have a sign: V8 keeps such integers in place. */
export function mixHash(hash: number, value: number): number {
  let mixed = Math.imul(hash ^ value, 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

export function hashText(text: string): number {
  let hash = text.length;
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash;
}
