/**
 * The most that a trace from outside may have. A request beyond these limits is shown while it runs, but its trace does not
 * open again.
 */
export const traceLimits = {
  /** Emitted tokens; the prompt may have as many tokens again. */
  tokens: 200_000,
  records: 2_000_000,
  /** UTF-16 units of any text but the whole answer. */
  textLength: 65_536,
  /** UTF-16 units of the whole answer. */
  answerLength: 4_000_000,
  /** UTF-16 units of the definition of one tool, and of a response format. */
  jsonLength: 1_048_576,
  mods: 64,
  messages: 10_000,
  /** Entries of any other list. */
  entries: 65_536,
  /** Likeliest tokens of one distribution: the recorder keeps as many. */
  alternatives: 10,
  /** Characters of a link. */
  fragmentLength: 1_048_576,
  /** Bytes of a trace file. */
  fileBytes: 64 * 1_048_576,
  /** Bytes and values unpacked, from the longest link and from a file. */
  unpackedLink: 8 * 1_048_576,
  unpackedFile: 64 * 1_048_576,
} as const;

/**
 * Bytes and values that a link of so many characters may unpack to. Runs of a model take some 30 for each character; a short
 * link that unpacks to millions is made to do harm.
 */
export function unpackedByLink(characters: number): number {
  return Math.min(traceLimits.unpackedLink, 1_572_864 + 40 * characters);
}
