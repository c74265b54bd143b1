/**
 * Limits of a graph without its weights, counted while it is read: a file of ten million bytes can hold five million
 * empty nodes, which take a hundred times as much memory as objects. Weights do not count: they stay as they are in
 * the file.
 */
export interface GraphLimits {
  /** Messages (nodes, attributes, tensors, dimensions), entries of lists, and fields that are not known: each becomes an object. */
  readonly parts: number;
  /** Bytes of all names and other texts. */
  readonly textBytes: number;
  /** Files beside the graph that hold its weights. */
  readonly externalFiles: number;
}

/** SmolLM2-135M has 9,438 parts and 0.17 MB of texts, a miniature of two layers that nothing has fused 4,125 and
 * 0.12 MB: a hundred such layers would have 200,000. */
export const graphLimits: GraphLimits = { parts: 250_000, textBytes: 64e6, externalFiles: 1_024 };
