/** The layout of the buffer in which the kernels return the summary of a row of logits: a header, the sums of each piece, a list of tokens. */

/** Tokens of a piece of a row. */
export const tokensPerPiece = 1024;
/** Groups in a piece, which are also the threads of a workgroup that works on pieces. */
export const groupsPerPiece = 64;
/**
 * Words at the beginning of a row's result: number of listed tokens, key of the threshold, bits of the requested logit, and
 * the most likely token, if requested.
 */
export const headerWords = 4;
/** Words of each piece's result: largest, weight, weighted and scaled as the bits of floats; the number of finite logits; the number of logits that are NaN or +Infinity. */
export const wordsPerPiece = 6;

/** The list has at least this many tokens, except if the row has fewer finite logits. */
export const fewestListed = 256;
/** The list has at most this many tokens. If more reach the threshold, the row has no summary. */
export const mostListed = 384;

export interface SummaryLayout {
  readonly vocabularySize: number;
  readonly pieces: number;
  /** Words of one row's result. */
  readonly stride: number;
}

export function summaryLayout(vocabularySize: number): SummaryLayout {
  const pieces = Math.ceil(vocabularySize / tokensPerPiece);
  return { vocabularySize, pieces, stride: headerWords + pieces * wordsPerPiece + 2 * mostListed };
}
