/**
 * Limits of a graph without its weights, checked while it is read. A file of ten million bytes can contain five million
 * empty nodes, which take a hundred times as much memory as objects. Weights do not count, because they stay as they are in
 * the file.
 */
export interface GraphLimits {
  /** Messages (nodes, attributes, tensors, dimensions), list entries and unknown fields. Each becomes an object. */
  readonly parts: number;
  /** Bytes of all names and other texts together. */
  readonly textBytes: number;
  /** Files beside the graph that hold its weights. */
  readonly externalFiles: number;
}

/**
 * SmolLM2-135M has 9,438 parts and 0.17 MB of texts. An unfused miniature of two layers has 4,125 parts and 0.12 MB, so a
 * hundred such layers would have 200,000 parts.
 */
export const graphLimits: GraphLimits = { parts: 250_000, textBytes: 64e6, externalFiles: 1_024 };
