/** Files with weights, as graphs name them. */

/**
 * The contents of a weight file, which need not be in memory: `subarray` reads the bytes from `begin` to `end` when it is
 * called. A `Uint8Array` has this interface too.
 */
export interface WeightBytes {
  readonly byteLength: number;
  subarray(begin: number, end: number): Uint8Array;
}

/** External data, by the path that the graph has for it. */
export type ExternalData = ReadonlyMap<string, WeightBytes>;
