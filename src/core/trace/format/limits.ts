/**
 * The most that a trace from outside may have. A request beyond these limits is shown while it runs, but its trace does not
 * open again.
 */
export const traceLimits = {
  /** Emitted tokens; the prompt may have as many tokens again. */
  tokens: 200_000,
  records: 2_000_000,
  /** UTF-16 units of a name, of a token's text and of every other short text. */
  textLength: 65_536,
  /** UTF-16 units of a message, of a mod's source, and of the arguments of a tool call: the editor takes 500,000. */
  messageLength: 1_048_576,
  /** UTF-16 units of the whole answer. */
  answerLength: 4_000_000,
  /** UTF-16 units of the definition of one tool, and of a response format. */
  jsonLength: 1_048_576,
  mods: 64,
  messages: 10_000,
  /** Entries of any other list. */
  entries: 65_536,
  /** Entries of all lists of one record, which is read in one go: a tenth of a second. */
  recordEntries: 262_144,
  /** Most likely tokens of one distribution: the recorder keeps as many. */
  alternatives: 10,
  /** Most likely tokens that are kept of what a mod read at one step. */
  topK: 64,
  /** Calls of `event.score` at one event of one mod, and continuations of one call. */
  scores: { calls: 16, continuations: 64 },
  /** Entries of a whole trace, enough for 8,192 steps of 64. Beyond it, a mod can be asked again only with a model. */
  topKEntries: 524_288,
  /** Numbers of one vector that a mod steered by or patched in: the hidden sizes of models go up to this. */
  vectorLength: 65_536,
  /**
   * Numbers of all vectors of a trace, each vector counted once: 341 vectors of 576. Later vectors are stored by
   * digest alone.
   */
  vectorNumbers: 196_608,
  /** Vectors of one action. */
  vectors: 256,
  /** Layers of a model. */
  layers: 1_024,
  /** Steps at which it is kept what layers said, the most likely tokens of one layer, and those of all layers of all steps. */
  layersSteps: 8_192,
  lens: 64,
  layersEntries: 524_288,
  /** Numbers of hidden states that are kept: 121 steps of all 30 layers of 576. */
  layersNumbers: 2_097_152,
  /** Characters of a link. */
  fragmentLength: 1_048_576,
  /** Bytes of a trace file. */
  fileBytes: 64 * 1_048_576,
  /** Bytes and values unpacked, from the longest link and from a file. */
  unpackedLink: 8 * 1_048_576,
  unpackedFile: 64 * 1_048_576,
  /**
   * Bytes of memory that a trace and its model may take together, as `memoryOf` counts them: with the page itself, less than
   * 300 MB. A run of 200,000 tokens with ten alternatives and one call of a mod each is counted as 271 MB and takes 230.
   */
  memory: 276_000_000,
} as const;

/**
 * Bytes and values that a link of so many characters may unpack to. Runs of a model take some 30 for each character; a short
 * link that unpacks to millions is made to do harm.
 */
export function unpackedByLink(characters: number): number {
  return Math.min(traceLimits.unpackedLink, 1_572_864 + 40 * characters);
}
