/**
 * Upper limits of a trace from outside. A request beyond these limits is shown while it runs, but its trace does not open again.
 */
export const traceLimits = {
  /** Emitted tokens; the prompt may have as many tokens again. */
  tokens: 200_000,
  records: 2_000_000,
  /** UTF-16 units of a name, of a token's text and of every other short text. */
  textLength: 65_536,
  /** UTF-16 units of a message, of a mod's source, and of the arguments of a tool call. The editor allows 500,000. */
  messageLength: 1_048_576,
  /** UTF-16 units of the whole output. */
  answerLength: 4_000_000,
  /** UTF-16 units of the definition of one tool, and of a response format. */
  jsonLength: 1_048_576,
  mods: 64,
  messages: 10_000,
  /** Entries of any other list. */
  entries: 65_536,
  /** Entries of all lists of one record. A record is read in one go; this many take a tenth of a second. */
  recordEntries: 262_144,
  /** Most likely tokens of one distribution. The recorder writes as many. */
  alternatives: 10,
  /** Entries of the top-k list that a mod read at one step. */
  topK: 64,
  /** Calls of `event.score` at one event of one mod, and continuations of one call. */
  scores: { calls: 16, continuations: 64 },
  /** Entries of all top-k lists of a trace, enough for 8,192 steps of 64. After that, replaying a mod needs the model. */
  topKEntries: 524_288,
  /** Numbers of one vector of a `steer` or `patch` action: no model has a larger hidden size. */
  vectorLength: 65_536,
  /**
   * Numbers of all vectors of a trace, each vector counted once: enough for 341 vectors of 576 numbers. Later vectors are
   * stored by digest alone.
   */
  vectorNumbers: 196_608,
  /** Vectors of one action. */
  vectors: 256,
  /** Layers of a model. */
  layers: 1_024,
  /** Steps with recorded layers, tokens in the top-k list of one layer, and tokens in all such lists of a trace. */
  layersSteps: 8_192,
  lens: 64,
  layersEntries: 524_288,
  /** Numbers of recorded hidden states: enough for 121 steps of 30 layers of 576 numbers each. */
  layersNumbers: 2_097_152,
  /** Characters of a link. */
  fragmentLength: 1_048_576,
  /** Bytes of a trace file. */
  fileBytes: 64 * 1_048_576,
  /** Bytes and values unpacked, from the longest link and from a file. */
  unpackedLink: 8 * 1_048_576,
  unpackedFile: 64 * 1_048_576,
  /**
   * Bytes of memory that a trace and its model may take together, as `traceMemoryBytes` counts them: with the page itself, less than 300
   * MB. A run of 200,000 tokens, each with ten alternatives and one mod call, is counted as 271 MB and takes 230 MB.
   */
  memory: 276_000_000,
} as const;

/**
 * Bytes and values that a link with this many characters may unpack to. Real runs take some 30 for each character; a short link
 * that unpacks to millions was made to do harm.
 */
export function linkUnpackLimit(characters: number): number {
  return Math.min(traceLimits.unpackedLink, 1_572_864 + 40 * characters);
}
