/**
 * Seeded randomness without state: the n-th number of a seed depends only on seed and n. So a draw can be repeated, skipped or
 * asked for twice, and a backtrack needs no rewinding of a generator.
 */

/** 2^32 divided by the golden ratio, rounded to an odd number: steps of this size visit all 32-bit numbers, evenly spread. */
const GOLDEN = 0x9e3779b9;

/** Mixes 32 bits so that each depends on all: the finalizer of MurmurHash3 (Austin Appleby, public domain). */
export function mix32(value: number): number {
  let bits = value | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

/**
 * The `index`-th 32 random bits of a seed. SplitMix (Steele, Lea and Flood, "Fast splittable pseudorandom number
 * generators", 2014) on 32 bits: a mixed Weyl sequence. The seed is mixed first and mixed in again after the first
 * round, so that neighbouring seeds are not shifts of one sequence.
 */
export function randomBits(seed: number, index: number): number {
  const key = mix32(seed ^ GOLDEN);
  return mix32(mix32(key + Math.imul(index + 1, GOLDEN)) ^ key);
}

/** The `index`-th uniform number of a seed, in [0, 1), a multiple of 2^-32. */
export function uniformRandom(seed: number, index: number): number {
  return randomBits(seed, index) / 2 ** 32;
}
