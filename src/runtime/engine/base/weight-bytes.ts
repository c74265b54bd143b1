/** Files with weights, as graphs name them. */

/**
 * The contents of a file with weights, which need not be in memory: `subarray` gives the bytes from `begin` to `end` when the
 * caller asks. A `Uint8Array` is such contents.
 */
export interface WeightBytes {
  readonly byteLength: number;
  subarray(begin: number, end: number): Uint8Array;
}

/** External data by the path that the file names. */
export type ExternalData = ReadonlyMap<string, WeightBytes>;
