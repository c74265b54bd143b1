/**
 * Memory of the parts of an opened trace. Separate from the limits, because code that neither reads nor writes traces
 * uses the limits too.
 */

/**
 * Bytes of memory that parts of an opened trace take in a page, with their share of the trace model. Measured in Chromium and
 * rounded up, so that a trace takes no more than its count.
 */
export const traceMemoryBytes = {
  /** A record without its lists and texts. */
  record: 80,
  /** An event. Most records are an event, and so is the first mod call at an event whose record comes later. */
  event: 80,
  /** A mod's action other than `noop`. */
  action: 100,
  /** A distribution without its alternatives. */
  distribution: 60,
  /** An entry of any list: an alternative, a token of the prompt, a message. */
  entry: 40,
  /** A top-k list that a mod read, and each of its tokens with the log-probability. */
  topK: 140,
  topKEntry: 16,
  /** A vector of a mod without its numbers, and each of its numbers. */
  vector: 160,
  vectorNumber: 8,
  /** One of the vectors of an action. */
  steering: 60,
  /**
   * An entry of the lists that a token may have of its own: the steering after an action, the steering after its mod stops (an
   * entry for each mod that may steer by then), and the patches after an action (an entry for each patched layer).
   */
  steered: 100,
  patched: 24,
  /** A step with recorded layers, a layer of it, and each token of the layer's top-k list. */
  layersStep: 160,
  layerSays: 160,
  lensToken: 48,
  /** A token of the output, with its row in the table of tokens. */
  token: 160,
  /** A text without its characters: `memoryOfText` counts the characters. */
  text: 24,
} as const;

/** Bytes of a text with this many bytes of UTF-8: browsers store every unit of a text in one byte, or every unit in two. */
export const memoryOfText = (text: string, utf8Bytes: number): number =>
  text.length * (text.length === utf8Bytes ? 1 : 2);

/**
 * The memory of half of the columns. Columns are freed as records are made of them, so columns and records are never in memory
 * completely at the same time.
 */
export const memoryWhileReading = (columnBytes: number): number => Math.ceil(columnBytes / 2);
